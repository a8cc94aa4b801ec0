/**
 * The rules for edges, checked while drawing (spec 3.2). A refusal names its rule, so that the page can say the reason
 * in the language of the reader.
 */
import type { components } from '../../../shared/api/schema'
import { isAside } from '../../../shared/lib/graph'
import { addEdge, type Graph, type GraphEdge, type GraphNode, inputsOf, labelOf, nodeOf, outputsOf } from './graph'

/** What part a node plays on the way. */
export type Role = 'start' | 'end' | 'call' | 'step' | 'side' | 'choice'

export type WorkflowType = 'tools/call' | 'tools/list' | 'session'

/** What the rules know of a kind of node. */
export type Kind = { readonly role: Role; readonly mostOutputs?: number; readonly phase?: 'pre' | 'post' }

export type Kinds = ReadonlyMap<string, Kind>

/** The two ways out of a condition. */
export const WAYS = ['true', 'false'] as const

/** The kinds that are built in, as the gateway lists them: one that it adds has to be added here too. */
export type BuiltIn = components['schemas']['NodeKind']

const BUILT_IN: Readonly<Record<BuiltIn, Kind>> = {
  start: { role: 'start' },
  end: { role: 'end' },
  'mcp-call': { role: 'call' },
  hook: { role: 'step' },
  condition: { role: 'choice' },
  variable: { role: 'step' },
  activity: { role: 'step', mostOutputs: 1 },
}

/** A kind of node as `/api/node-types` tells it. */
export type NodeType = {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly inputs: number
  readonly outputs: number | 'many'
  readonly schema: Readonly<Record<string, unknown>>
  readonly plugin: boolean
}

/** The kinds that are built in, and those of plug-ins. */
export function kindsOf(types: readonly NodeType[]): Kinds {
  const plugIn = ({ outputs }: NodeType): Kind => {
    if (outputs === 0) return { role: 'side' }
    return outputs === 'many' ? { role: 'step' } : { role: 'step', mostOutputs: outputs }
  }
  const added = types.filter((type) => type.plugin).map((type) => [type.name, plugIn(type)] as const)
  return new Map<string, Kind>([...Object.entries(BUILT_IN), ...added])
}

/** The role of a node; nothing for a type that is not known. */
export function roleOf(node: GraphNode, kinds: Kinds): Role | undefined {
  if (node.type !== 'hook') return kinds.get(node.type)?.role
  return isAside(node) ? 'side' : 'step'
}

const OF_SESSIONS = new Set(['start', 'activity', 'condition', 'end'])

/** Whether nodes of that type have a place in such a workflow. */
export function fits(node: GraphNode, kinds: Kinds, type: WorkflowType): boolean {
  if (roleOf(node, kinds) === undefined) return false
  return type === 'session' ? OF_SESSIONS.has(node.type) : node.type !== 'activity'
}

export type Connection = { readonly source: string; readonly target: string; readonly way?: string | null }

/** Why a connection is refused. */
export type Refusal = {
  readonly rule:
    | 'self'
    | 'unknown'
    | 'same'
    | 'start-input'
    | 'end-output'
    | 'side-output'
    | 'one-input'
    | 'cycle'
    | 'way-needed'
    | 'way-taken'
    | 'outputs'
    | 'one-line'
  /** The label of the node that it concerns. */
  readonly label: string
  /** The way out of a condition, or a number. */
  readonly detail?: string
}

/** Why this edge cannot be drawn; `undefined` when it can. */
export function refusalOf(
  graph: Graph,
  kinds: Kinds,
  type: WorkflowType,
  { source, target, way }: Connection,
): Refusal | undefined {
  const [from, to] = [nodeOf(graph, source), nodeOf(graph, target)]
  if (!from || !to) return { rule: 'unknown', label: from ? target : source }
  if (source === target) return { rule: 'self', label: labelOf(from) }
  const [role, next] = [roleOf(from, kinds), roleOf(to, kinds)]
  if (next === 'start') return { rule: 'start-input', label: labelOf(to) }
  if (role === 'end') return { rule: 'end-output', label: labelOf(from) }
  if (role === 'side') return { rule: 'side-output', label: labelOf(from) }
  const out = outputsOf(graph, source)
  return (
    outputRefusal(from, role, out, way, type, kinds) ??
    (out.some((edge) => edge.target === target && role !== 'choice')
      ? { rule: 'same', label: labelOf(to) }
      : undefined) ??
    inputRefusal(graph, kinds, { source, target, way: way ?? null }, to) ??
    (reaches(graph, target, source) ? { rule: 'cycle', label: labelOf(to) } : undefined)
  )
}

function outputRefusal(
  from: GraphNode,
  role: Role | undefined,
  out: readonly GraphEdge[],
  way: string | null | undefined,
  type: WorkflowType,
  kinds: Kinds,
): Refusal | undefined {
  const label = labelOf(from)
  if (role === 'choice') {
    if (way !== 'true' && way !== 'false') return { rule: 'way-needed', label }
    return out.some((edge) => edge.sourceHandle === way) ? { rule: 'way-taken', label, detail: way } : undefined
  }
  if (type === 'session' && out.length > 0) return { rule: 'one-line', label }
  const most = kinds.get(from.type)?.mostOutputs
  return most !== undefined && out.length >= most ? { rule: 'outputs', label, detail: String(most) } : undefined
}

function inputRefusal(graph: Graph, kinds: Kinds, added: Connection, to: GraphNode): Refusal | undefined {
  const before = inputsOf(graph, to.id)
  if (before.length === 0) return undefined
  const refusal: Refusal = { rule: 'one-input', label: labelOf(to) }
  if (roleOf(to, kinds) === 'side') return refusal
  // Ways that a condition parted may meet again; no other ways may.
  const drawn = addEdge(graph, added.source, added.target, added.way)
  const edge = drawn.edges[drawn.edges.length - 1]
  return edge && before.every((other) => areApart(drawn, kinds, other, edge)) ? undefined : refusal
}

/** Whether a condition sees to it that only one of two edges is ever followed. */
function areApart(graph: Graph, kinds: Kinds, one: GraphEdge, other: GraphEdge): boolean {
  return graph.nodes.some((node) => {
    if (roleOf(node, kinds) !== 'choice') return false
    const [yes, no] = [edgesAfter(graph, node.id, 'true'), edgesAfter(graph, node.id, 'false')]
    return (yes.has(one.id) && no.has(other.id)) || (yes.has(other.id) && no.has(one.id))
  })
}

/** The edges that may be followed once a condition has chosen a way. */
function edgesAfter(graph: Graph, choice: string, way: string): Set<string> {
  const found = new Set<string>()
  const open = outputsOf(graph, choice).filter((edge) => edge.sourceHandle === way)
  for (let edge = open.pop(); edge; edge = open.pop()) {
    if (found.has(edge.id)) continue
    found.add(edge.id)
    open.push(...outputsOf(graph, edge.target))
  }
  return found
}

/** Whether a way leads from one node to another. */
export function reaches(graph: Graph, from: string, to: string): boolean {
  const next = new Map<string, string[]>()
  for (const { source, target } of graph.edges) next.set(source, [...(next.get(source) ?? []), target])
  const seen = new Set<string>()
  const open = [from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true
    if (seen.has(id)) continue
    seen.add(id)
    open.push(...(next.get(id) ?? []))
  }
  return false
}

/** Draws an edge when the rules allow it. */
export function connect(
  graph: Graph,
  kinds: Kinds,
  type: WorkflowType,
  connection: Connection,
): { readonly graph: Graph } | { readonly refusal: Refusal } {
  const refusal = refusalOf(graph, kinds, type, connection)
  if (refusal) return { refusal }
  return { graph: addEdge(graph, connection.source, connection.target, connection.way) }
}

/** The ways out of a node that a new edge could take, the best first. */
export function waysOut(graph: Graph, node: GraphNode, kinds: Kinds): (string | null)[] {
  if (roleOf(node, kinds) !== 'choice') return [null]
  const taken = new Set(outputsOf(graph, node.id).map((edge) => edge.sourceHandle))
  return WAYS.filter((way) => !taken.has(way))
}
