/** What can be done in the editor by a button, a menu or a key: each action is here once. */
import { isAside } from '../../../shared/lib/graph'
import { appendNode, insertNode, placeNode, type Stamp } from './edits'
import { GAP, NODE, type Position } from './graph'
import { tidied } from './layout'
import type { Offer, Words } from './nodes/kind'
import { connect } from './rules'
import { editor } from './store'
import type { Target } from './view'

/** Makes a node of what the palette offers. */
export function stampOf(offer: Offer, w: Words): Stamp {
  return { type: offer.type, data: { label: offer.name(w), ...structuredClone(offer.data) } }
}

/** Adds a node and wires it, as far as the rules allow. */
export function addTo(target: Target, stamp: Stamp): string {
  return editor.getState().add((graph, kinds, type) => {
    if (target.kind === 'edge') return insertNode(graph, kinds, type, target.edge, stamp)
    if (target.kind === 'after') return appendNode(graph, kinds, type, target.node, stamp, target)
    const placed = placeNode(graph, stamp, target.at)
    if (target.kind === 'free') return placed
    const way = stamp.type === 'condition' ? 'true' : null
    const wired = connect(placed.graph, kinds, type, { source: placed.id, target: target.node, way })
    return 'graph' in wired ? { graph: wired.graph, id: placed.id } : placed
  })
}

/** Where a click on the palette puts a node: after the one that is selected, else at the middle of what is seen. */
export function usualTarget(middle: Position): Target {
  const { nodes, edges } = editor.getState()
  const [node] = nodes
  const [edge] = edges
  if (nodes.size === 1 && node !== undefined && canLead(node)) return { kind: 'after', node }
  if (edges.size === 1 && edge !== undefined) return { kind: 'edge', edge }
  return { kind: 'free', at: { x: middle.x - NODE.width / 2, y: middle.y - NODE.height / 2 } }
}

function canLead(id: string): boolean {
  const { doc } = editor.getState()
  const node = doc.graph.nodes.find((other) => other.id === id)
  return node !== undefined && node.type !== 'end' && !isAside(node)
}

/** Puts all nodes into order, as one step of undo. */
export async function tidyUp(): Promise<void> {
  const { doc } = editor.getState()
  const graph = await tidied(doc.graph)
  const now = editor.getState()
  if (now.doc === doc) now.editGraph(() => graph)
}

/** Selects the node that the selected one leads to, or comes from. */
export function stepAlong(direction: 'next' | 'previous'): string | undefined {
  const { doc, nodes, select } = editor.getState()
  const [id] = nodes
  const [here, there] = direction === 'next' ? (['source', 'target'] as const) : (['target', 'source'] as const)
  const edge = doc.graph.edges.find((one) => one[here] === id)
  const start = doc.graph.nodes.find((node) => node.type === 'start')
  const found = id === undefined ? start?.id : edge?.[there]
  if (found !== undefined) select(new Set([found]))
  return found
}

/** Where pasted nodes go when the pointer does not say: a little beside what is seen. */
export function besideOf(middle: Position): Position {
  return { x: middle.x - NODE.width / 2, y: middle.y + GAP.y }
}
