/**
 * A workflow's graph and the edits of it. Every edit is pure: it takes a graph and gives a new one, and keeps keys of
 * nodes, edges and data that this version does not know.
 */

import { GAP, type Graph, type GraphEdge, type GraphNode, NODE, type Position } from '../../../shared/lib/graph'

export {
  boundsOf,
  GAP,
  type Graph,
  type GraphEdge,
  type GraphNode,
  labelOf,
  namesOf,
  NODE,
  type NodeData,
  type Position,
  readGraph,
} from '../../../shared/lib/graph'

const GRID = 4

/** A new id, short and not in `taken`. */
export function freshId(prefix: string, taken: (id: string) => boolean): string {
  for (;;) {
    const id = `${prefix}-${Math.random().toString(36).slice(2, 8)}`
    if (!taken(id)) return id
  }
}

/** The node of that id. */
export function nodeOf(graph: Graph, id: string): GraphNode | undefined {
  return graph.nodes.find((node) => node.id === id)
}

export function inputsOf(graph: Graph, id: string): GraphEdge[] {
  return graph.edges.filter((edge) => edge.target === id)
}

export function outputsOf(graph: Graph, id: string): GraphEdge[] {
  return graph.edges.filter((edge) => edge.source === id)
}

/** A position on the grid. */
export function snap(position: Position): Position {
  const near = (value: number) => Math.round(value / GRID) * GRID
  return { x: near(position.x), y: near(position.y) }
}

export function addNode(graph: Graph, node: GraphNode): Graph {
  return { ...graph, nodes: [...graph.nodes, node] }
}

/** Adds an edge without asking the rules; `connect` of the rules asks first. */
export function addEdge(graph: Graph, source: string, target: string, way?: string | null): Graph {
  const taken = new Set(graph.edges.map((edge) => edge.id))
  const plain = way ? `${source}-${way}-${target}` : `${source}-${target}`
  const id = taken.has(plain) ? freshId(plain, (other) => taken.has(other)) : plain
  const edge: GraphEdge = way ? { id, source, target, sourceHandle: way } : { id, source, target }
  return { ...graph, edges: [...graph.edges, edge] }
}

/** An edge that was moved to other nodes. The name of an output stays with the node that has it. */
export function moved(edge: GraphEdge, { source, target, way }: { source: string; target: string; way?: string | null }): GraphEdge {
  const sourceHandle = way ?? (source === edge.source ? edge.sourceHandle : undefined)
  return merged(edge, { source, target, sourceHandle })
}

export function removeEdges(graph: Graph, ids: ReadonlySet<string>): Graph {
  const edges = graph.edges.filter((edge) => !ids.has(edge.id))
  return edges.length === graph.edges.length ? graph : { ...graph, edges }
}

/** Moves nodes to where they are said to be; the others stay the same objects. */
export function moveNodes(graph: Graph, places: ReadonlyMap<string, Position>): Graph {
  let moved = false
  const nodes = graph.nodes.map((node) => {
    const place = places.get(node.id)
    if (!place || (place.x === node.position.x && place.y === node.position.y)) return node
    moved = true
    return { ...node, position: { ...node.position, ...place } }
  })
  return moved ? { ...graph, nodes } : graph
}

/** Changes the data of one node; a key with the value `undefined` is taken out. */
export function changeData(graph: Graph, id: string, change: Readonly<Record<string, unknown>>): Graph {
  const merge = (node: GraphNode): GraphNode => ({ ...node, data: merged(node.data, change) })
  return { ...graph, nodes: graph.nodes.map((node) => (node.id === id ? merge(node) : node)) }
}

/** An object with some keys changed; those that become `undefined` are taken out. */
export function merged<T extends Readonly<Record<string, unknown>>>(
  data: T,
  change: Readonly<Record<string, unknown>>,
): T {
  const all: Record<string, unknown> = { ...data, ...change }
  for (const key of Object.keys(change)) if (all[key] === undefined) delete all[key]
  return all as T
}

/** A place near `wanted` at which no other node stands. */
export function freePlace(graph: Graph, wanted: Position): Position {
  const stands = (at: Position) =>
    graph.nodes.some(
      ({ position }) =>
        Math.abs(position.x - at.x) < NODE.width * 0.8 && Math.abs(position.y - at.y) < NODE.height + 12,
    )
  let place = snap(wanted)
  while (stands(place)) place = { x: place.x, y: place.y + NODE.height + GAP.y }
  return place
}

/** Moves everything right of `x` to the right, as far as a new node between needs room. */
export function makeRoom(graph: Graph, from: string, to: string): Graph {
  const [source, target] = [nodeOf(graph, from), nodeOf(graph, to)]
  if (!source || !target) return graph
  const wanted = source.position.x + 2 * (NODE.width + GAP.x)
  const lack = wanted - target.position.x
  if (lack <= 0 || target.position.x <= source.position.x) return graph
  const places = new Map<string, Position>()
  for (const { id, position } of graph.nodes) {
    if (position.x >= target.position.x && id !== from) places.set(id, { x: position.x + lack, y: position.y })
  }
  return moveNodes(graph, places)
}
