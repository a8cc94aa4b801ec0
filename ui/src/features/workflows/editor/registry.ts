/** Every kind of node, listed once. The gateway's own list says which there are: a kind without a file does not compile. */
import { activity } from './nodes/activity'
import { condition } from './nodes/condition'
import { end } from './nodes/end'
import { hook } from './nodes/hook'
import type { NodeKind, Offer } from './nodes/kind'
import { mcpCall } from './nodes/mcp-call'
import { plugIn } from './nodes/plug-in'
import { start } from './nodes/start'
import { variable } from './nodes/variable'
import { isSingle } from './edits'
import type { Graph, GraphNode } from './graph'
import type { BuiltIn, NodeType, WorkflowType } from './rules'

// In the order of the palette.
const byType: Readonly<Record<BuiltIn, NodeKind>> = { start, hook, condition, variable, 'mcp-call': mcpCall, activity, end }
const BUILT_IN: readonly NodeKind[] = Object.values(byType)

const made = new WeakMap<readonly NodeType[], ReadonlyMap<string, NodeKind>>()

/** The kinds that are built in, and those of plug-ins. */
export function registryOf(types: readonly NodeType[]): ReadonlyMap<string, NodeKind> {
  const known = made.get(types)
  if (known) return known
  const all = [...BUILT_IN, ...types.filter((type) => type.plugin).map(plugIn)]
  const registry = new Map(all.map((kind) => [kind.type, kind]))
  made.set(types, registry)
  return registry
}

/** The kind of a node; a type that is not known is shown all the same. */
export function kindOf(node: GraphNode, types: readonly NodeType[]): NodeKind {
  const unknown: NodeKind = { type: node.type, place: 'both', name: (w) => w.nodeUnknown, offers: [], detail: () => node.type }
  return registryOf(types).get(node.type) ?? unknown
}

/** What can be added to such a workflow. */
export function offersFor(types: readonly NodeType[], type: WorkflowType): Offer[] {
  const place = type === 'session' ? 'session' : 'graph'
  const kinds = [...registryOf(types).values()].filter((kind) => kind.place === 'both' || kind.place === place)
  return kinds.flatMap((kind) => kind.offers).filter((offer) => offer.place === undefined || offer.place === place)
}

/** The types of which there is exactly one, as far as the graph has none, in one text. */
export function missingSingles(graph: Graph): string {
  const has = new Set(graph.nodes.map((node) => node.type))
  return BUILT_IN.map((kind) => kind.type).filter((type) => isSingle(type) && !has.has(type)).join(' ')
}

/** What can be added now: what a graph cannot have twice is offered only when it is missing. */
export function offersNow(types: readonly NodeType[], type: WorkflowType, graph: Graph): Offer[] {
  const missing = missingSingles(graph).split(' ')
  return offersFor(types, type).filter((offer) => !isSingle(offer.type) || missing.includes(offer.type))
}
