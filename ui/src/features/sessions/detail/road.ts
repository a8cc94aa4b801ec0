/** Where the way of a session through the graph of its workflow has led, and where it may still lead. */
import { type Graph, type GraphNode, stepNodes } from '../../../shared/lib/graph'
import type { Session } from '../types'

export interface Road {
  /** The steps on ways that were not taken, by their index. */
  readonly off: ReadonlySet<number>
  /** What comes after the furthest step: the index of a step, a condition that is not judged, or nothing. */
  readonly next: number | GraphNode | undefined
}

/** The way of a session whose furthest step is known. */
export function roadOf(session: Pick<Session, 'decisions'>, graph: Graph, furthest: number): Road {
  const places = new Map(stepNodes(graph).map(({ id }, index) => [id, index]))
  const taken = new Map(session.decisions?.map(({ nodeId, way }) => [nodeId, way ?? undefined]))
  const start = graph.nodes.find(({ type }) => type === 'start')
  const onward = onwardOf(graph, taken)
  const reached = reachedFrom(start, onward)
  const isAhead = ({ id, type }: GraphNode) => (places.get(id) ?? -1) > furthest || (type === 'condition' && taken.get(id) === undefined)
  let node = start
  // No way has more nodes than can be reached, so a ring ends too.
  for (let left = reached.size; node && left > 0 && !isAhead(node); left -= 1) [node] = onward(node)
  const off = [...places].flatMap(([id, index]) => (reached.has(id) ? [] : [index]))
  const condition = node?.type === 'condition' ? node : undefined
  return { off: new Set(off), next: node && (places.get(node.id) ?? condition) }
}

type Onward = (node: GraphNode) => GraphNode[]

/** Where nodes lead; a condition that was judged, by the way that was taken only. */
function onwardOf({ nodes, edges }: Graph, taken: ReadonlyMap<string, boolean | undefined>): Onward {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return ({ id }) => {
    const way = taken.get(id)
    const own = edges.filter(({ source, sourceHandle }) => source === id && (way === undefined || sourceHandle === String(way)))
    return own.flatMap(({ target }) => byId.get(target) ?? [])
  }
}

function reachedFrom(start: GraphNode | undefined, onward: Onward): Set<string> {
  const reached = new Set<string>()
  const open = start ? [start] : []
  for (let node = open.pop(); node; node = open.pop()) {
    if (reached.has(node.id)) continue
    reached.add(node.id)
    open.push(...onward(node))
  }
  return reached
}
