/** A workflow's graph as the API gives it, and how it is read without losing what this version does not know. */
import { isRecord } from './values'

export interface Position {
  readonly x: number
  readonly y: number
}

/** What a kind of node keeps; keys that are not known here stay as they are. */
export type NodeData = { readonly label?: string; readonly [key: string]: unknown }

export type GraphNode = {
  readonly id: string
  readonly type: string
  readonly position: Position
  readonly data: NodeData
  readonly [key: string]: unknown
}

export type GraphEdge = {
  readonly id: string
  readonly source: string
  readonly target: string
  /** The output it leaves by: `true` or `false` of a condition. */
  readonly sourceHandle?: string | null
  readonly [key: string]: unknown
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** Every node has this size on the canvas, so that nothing has to be measured. */
export const NODE = { width: 172, height: 56 } as const

/** The room between two nodes of a line. */
export const GAP = { x: 60, y: 44 } as const

/** A graph with the ids, positions and data that the API may leave out. */
export function readGraph(nodes: readonly unknown[], edges: readonly unknown[]): Graph {
  const taken = new Set<string>()
  const readEdge = (raw: unknown): GraphEdge => {
    const edge = record(raw)
    const source = text(edge['source'], '')
    const target = text(edge['target'], '')
    let id = text(edge['id'], `${source}-${target}`)
    while (taken.has(id)) id = `${id}'`
    taken.add(id)
    return { ...edge, id, source, target }
  }
  return { nodes: nodes.map(readNode), edges: edges.map(readEdge) }
}

function readNode(raw: unknown, index: number): GraphNode {
  const node = record(raw)
  const position = record(node['position'])
  const at = { x: number(position['x'], index * (NODE.width + GAP.x)), y: number(position['y'], 0) }
  return {
    ...node,
    id: text(node['id'], `node-${index}`),
    type: text(node['type'], 'hook'),
    position: { ...position, ...at },
    data: record(node['data']),
  }
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}

/** What people call a node. */
export function labelOf(node: GraphNode): string {
  const label = node.data.label
  return typeof label === 'string' && label.trim() !== '' ? label : node.id
}

/** Whether a node is a hook that nobody waits for. */
export function isAside(node: GraphNode): boolean {
  return node.type === 'hook' && (node.data['hook'] as { blocking?: unknown } | undefined)?.blocking === false
}

/** The steps of a session workflow: the activities along the line from the start. */
export function stepNodes({ nodes, edges }: Graph): GraphNode[] {
  const next = new Map(edges.map(({ source, target }) => [source, target]))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const steps: GraphNode[] = []
  let node = nodes.find(({ type }) => type === 'start')
  // No line has more steps than there are nodes, so a ring ends too.
  for (let left = nodes.length; node && left > 0; left -= 1) {
    if (node.type === 'activity') steps.push(node)
    node = byId.get(next.get(node.id) ?? '')
  }
  return steps
}
