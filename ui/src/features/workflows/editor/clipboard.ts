/** Parts of a graph as JSON text, for the system's clipboard. They can go to another workflow, tab or person. */
import { keptJson, readJson, withDrafts } from '../../../shared/lib/values'
import { isSingle } from './edits'
import { boundsOf, freshId, type Graph, type GraphEdge, type GraphNode, type Position, readGraph } from './graph'
import { fits, type Kinds, type WorkflowType } from './rules'

const MARK = 'lockgate/graph'

/** The chosen nodes and the edges between them, as text. */
export function copyText(graph: Graph, nodes: ReadonlySet<string>): string {
  const part = partOf(graph, nodes)
  return keptJson({ kind: MARK, ...part }, 2)
}

/** The chosen nodes and the edges between them. */
export function partOf(graph: Graph, nodes: ReadonlySet<string>): Graph {
  return {
    nodes: graph.nodes.filter((node) => nodes.has(node.id)),
    edges: graph.edges.filter((edge) => nodes.has(edge.source) && nodes.has(edge.target)),
  }
}

/** A graph from the clipboard: what `copyText` wrote, or a whole workflow. Nothing for any other text. */
export function readText(text: string): Graph | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const whole = readJson(text) as { kind?: unknown; nodes?: unknown; edges?: unknown }
    const value = whole.kind === MARK ? withDrafts(whole) : whole
    if (!Array.isArray(value.nodes)) return undefined
    return readGraph(value.nodes, Array.isArray(value.edges) ? value.edges : [])
  } catch {
    return undefined
  }
}

export type Pasted = { readonly graph: Graph; readonly added: ReadonlySet<string>; readonly left: number }

/** Puts a part into a graph, with new ids. Nodes that cannot be there a second time are left out and counted. */
export function paste(graph: Graph, part: Graph, kinds: Kinds, type: WorkflowType, at: Position): Pasted {
  const has = new Set(graph.nodes.map((node) => node.type))
  const taken = part.nodes.filter((node) => fits(node, kinds, type) && !(isSingle(node.type) && has.has(node.type)))
  const used = new Set([...graph.nodes.map((node) => node.id), ...graph.edges.map((edge) => edge.id)])
  const fresh = (prefix: string) => {
    const id = freshId(prefix, (other) => used.has(other))
    used.add(id)
    return id
  }
  const news = taken.map((node) => fresh(node.type))
  // Where nodes share an id, edges mean the first of them, as everywhere.
  const ids = new Map(taken.map((node, at) => [node.id, news[at] ?? ''] as const).reverse())
  const from = boundsOf(taken)
  const copy = (node: GraphNode, place: number): GraphNode => {
    const position = { x: node.position.x - from.x + at.x, y: node.position.y - from.y + at.y }
    return renamed({ ...node, id: news[place] ?? node.id, position })
  }
  const edges = part.edges.flatMap((edge): GraphEdge[] => {
    const [source, target] = [ids.get(edge.source), ids.get(edge.target)]
    return source && target ? [{ ...edge, id: fresh('edge'), source, target }] : []
  })
  return {
    graph: { nodes: [...graph.nodes, ...taken.map(copy)], edges: [...graph.edges, ...edges] },
    added: new Set(news),
    left: part.nodes.length - taken.length,
  }
}

/** The id of a node's hook goes with the id of the node. */
function renamed(node: GraphNode): GraphNode {
  const hook = node.data['hook']
  if (typeof hook !== 'object' || hook === null) return node
  return { ...node, data: { ...node.data, hook: { ...hook, id: node.id } } }
}
