/** Edits that look at the rules: insert on an edge, delete and heal, turn a hook, new nodes and new graphs. */
import {
  addEdge,
  addNode,
  changeData,
  freePlace,
  freshId,
  GAP,
  type Graph,
  type GraphEdge,
  type GraphNode,
  inputsOf,
  makeRoom,
  merged,
  NODE,
  nodeOf,
  outputsOf,
  type Position,
  removeEdges,
  snap,
} from './graph'
import { recordOf } from '../../../shared/lib/values'
import { connect, type Kinds, refusalOf, roleOf, waysOut, type WorkflowType } from './rules'

/** What a new node is made of. */
export type Stamp = { readonly type: string; readonly data: GraphNode['data'] }

/** Puts a new node on the canvas and tells its id. */
export function placeNode(graph: Graph, stamp: Stamp, at: Position): { graph: Graph; id: string } {
  const id = freshId(stamp.type, (other) => nodeOf(graph, other) !== undefined)
  const node: GraphNode = { id, type: stamp.type, position: freePlace(graph, at), data: stamp.data }
  return { graph: addNode(graph, named(node)), id }
}

/** Gives the hook of a node an id of its own. */
function named(node: GraphNode): GraphNode {
  const hook = node.data['hook']
  if (typeof hook !== 'object' || hook === null) return node
  return { ...node, data: { ...node.data, hook: { ...hook, id: node.id } } }
}

/** Puts a new node after another one and wires it; a node in the line takes over what followed. */
export function appendNode(
  graph: Graph,
  kinds: Kinds,
  type: WorkflowType,
  after: string,
  stamp: Stamp,
  wanted?: { readonly way?: string | null; readonly at?: Position },
): { graph: Graph; id: string } {
  const node = nodeOf(graph, after)
  if (!node) return placeNode(graph, stamp, wanted?.at ?? { x: 0, y: 0 })
  const way = wanted?.way ?? waysOut(graph, node, kinds)[0] ?? null
  const beside = { x: node.position.x + NODE.width + GAP.x, y: node.position.y }
  const line = outputsOf(graph, after).find((edge) => isMain(graph, kinds, edge))
  const isSide = roleOf({ ...node, type: stamp.type, data: stamp.data }, kinds) === 'side'
  if (!wanted?.at && line && !isSide && !wanted?.way) return insertNode(graph, kinds, type, line.id, stamp)
  const below = { x: beside.x, y: node.position.y + NODE.height + GAP.y }
  const placed = placeNode(graph, stamp, wanted?.at ?? (isSide ? below : beside))
  const wired = connect(placed.graph, kinds, type, { source: after, target: placed.id, way })
  return 'graph' in wired ? { graph: wired.graph, id: placed.id } : placed
}

/** Whether an edge is part of a line, not one to a fire-and-forget node. */
function isMain(graph: Graph, kinds: Kinds, edge: GraphEdge): boolean {
  const target = nodeOf(graph, edge.target)
  return target !== undefined && roleOf(target, kinds) !== 'side'
}

/** Puts a new node onto an edge; one that cannot stand in a line hangs off the edge's source. */
export function insertNode(
  graph: Graph,
  kinds: Kinds,
  type: WorkflowType,
  edgeId: string,
  stamp: Stamp,
): { graph: Graph; id: string } {
  const edge = graph.edges.find((other) => other.id === edgeId)
  const [source, target] = [edge && nodeOf(graph, edge.source), edge && nodeOf(graph, edge.target)]
  if (!edge || !source || !target) return placeNode(graph, stamp, { x: 0, y: 0 })
  const role = roleOf({ ...source, type: stamp.type, data: stamp.data }, kinds)
  if (role === 'side') return hang(graph, kinds, type, source, stamp)
  const roomy = makeRoom(graph, edge.source, edge.target)
  const moved = nodeOf(roomy, edge.target) ?? target
  const middle = {
    x: (source.position.x + moved.position.x) / 2,
    y: (source.position.y + moved.position.y) / 2,
  }
  const placed = placeNode(roomy, stamp, middle)
  const edges = placed.graph.edges.map((other) => (other.id === edgeId ? { ...other, target: placed.id } : other))
  const way = role === 'choice' ? 'true' : null
  return { graph: addEdge({ ...placed.graph, edges }, placed.id, edge.target, way), id: placed.id }
}

function hang(graph: Graph, kinds: Kinds, type: WorkflowType, source: GraphNode, stamp: Stamp) {
  const at = { x: source.position.x + GAP.x, y: source.position.y + NODE.height + GAP.y }
  const placed = placeNode(graph, stamp, at)
  const wired = connect(placed.graph, kinds, type, { source: source.id, target: placed.id })
  return 'graph' in wired ? { graph: wired.graph, id: placed.id } : placed
}

const SINGLE = new Set(['start', 'end', 'mcp-call'])

/** Whether a graph has exactly one node of that type, at most. */
export function isSingle(type: string): boolean {
  return SINGLE.has(type)
}

/** Whether a node may be deleted: the only start, call or end may not. */
export function isDeletable(graph: Graph, node: GraphNode): boolean {
  if (!isSingle(node.type)) return true
  return graph.nodes.some((other) => other.type === node.type && other.id !== node.id)
}

/** Deletes nodes and edges. The line heals where a node stood in its middle. */
export function deleteParts(
  graph: Graph,
  kinds: Kinds,
  type: WorkflowType,
  nodes: ReadonlySet<string>,
  edges: ReadonlySet<string>,
): Graph {
  let left = removeEdges(graph, edges)
  for (const id of nodes) {
    const node = nodeOf(left, id)
    if (node && isDeletable(left, node)) left = heal(left, kinds, type, node)
  }
  return left
}

function heal(graph: Graph, kinds: Kinds, type: WorkflowType, node: GraphNode): Graph {
  const [inputs, outputs] = [inputsOf(graph, node.id), outputsOf(graph, node.id)]
  const edges = graph.edges.filter((edge) => edge.source !== node.id && edge.target !== node.id)
  let healed: Graph = { nodes: graph.nodes.filter((other) => other.id !== node.id), edges }
  const rank = (edge: GraphEdge) => (edge.sourceHandle === 'false' ? 1 : 0)
  const main = outputs.filter((edge) => isMain(graph, kinds, edge)).sort((a, b) => rank(a) - rank(b))[0]
  for (const input of inputs) {
    for (const output of main ? [main, ...outputs] : outputs) {
      if (output !== main && isMain(graph, kinds, output)) continue
      const bridge = { source: input.source, target: output.target, way: input.sourceHandle ?? null }
      if (!refusalOf(healed, kinds, type, bridge)) {
        healed = addEdge(healed, bridge.source, bridge.target, bridge.way)
      }
    }
  }
  return healed
}

/** Makes a hook blocking, or fire and forget: then it leaves the line and hangs off the node before it. */
export function turnHook(graph: Graph, kinds: Kinds, type: WorkflowType, id: string, blocking: boolean): Graph {
  const node = nodeOf(graph, id)
  const hook = recordOf(node?.data['hook'])
  if (!node || hook['blocking'] === blocking) return graph
  const change = { hook: merged(hook, { blocking, ...(blocking ? {} : { onError: undefined }) }) }
  const inputs = inputsOf(graph, id)
  if (blocking || outputsOf(graph, id).length === 0) return changeData(graph, id, change)
  const without = heal(graph, kinds, type, node)
  const at = snap({ x: node.position.x, y: node.position.y + NODE.height + GAP.y })
  const turned = { ...node, position: { ...node.position, ...at }, data: { ...node.data, ...change } }
  const all = { ...without, nodes: graph.nodes.map((other) => (other.id === id ? turned : other)) }
  const first = inputs[0]
  if (!first) return all
  const back = connect(all, kinds, type, { source: first.source, target: id, way: first.sourceHandle ?? null })
  return 'graph' in back ? back.graph : all
}

/** A new graph: what has to be there is placed, not deletable, and without edges. */
export function blankGraph(type: WorkflowType): Graph {
  if (type === 'session') return { nodes: [fixed('start', 'Start', 0), fixed('end', 'End', 1)], edges: [] }
  return { nodes: [fixed('start', 'Start', 0), fixed('mcp-call', 'MCP Call', 1), fixed('end', 'End', 2)], edges: [] }
}

function fixed(type: string, label: string, column: number): GraphNode {
  return { id: type, type, position: { x: column * (NODE.width + GAP.x), y: 200 }, data: { label }, deletable: false }
}

/** A new session of one step; the gateway stores sessions only as whole lines. */
export function sessionGraph(activity: string): Graph {
  const step = { ...fixed('activity', activity, 1), id: 'step-1', deletable: true, data: { label: activity, step: { activity } } }
  const nodes = [fixed('start', 'Start', 0), step, fixed('end', 'End', 2)]
  return addEdge(addEdge({ nodes, edges: [] }, 'start', step.id), step.id, 'end')
}
