/** A run as the API gives it: one pass of a request through a graph. */
import type { components } from '../api/schema'
import { type Graph, isAside } from './graph'

type Schemas = components['schemas']

/** How far a node of a run is; `skipped` is one that was not run. */
export type NodeState = Schemas['NodeState']

/** How far a run is; `cancelled` is one whose client went away. */
export type RunStatus = Schemas['RunStatus']

/** What a hook did to a request that did not just go on. */
export type Deed = 'changed' | 'answered' | 'replaced' | 'blocked'

/** What became of a node: how far it came, or what it did to the request. */
export type Outcome = NodeState | Deed

/** What one node of a run did. */
export type NodeRun = Omit<Schemas['NodeRun'], 'result' | 'changes'> & { result: unknown; changes?: Record<string, unknown> }

/** One pass of a request through a graph. */
export type Run = Omit<Schemas['RunRecord'], 'context' | 'mcpResult' | 'results'> & {
  context: Record<string, unknown>
  mcpResult: unknown
  results: Record<string, NodeRun>
}

/** How a run looks, by its status. */
export const runTones = { completed: 'good', error: 'bad', running: 'info', cancelled: 'neutral' } as const

/** What is told of a run while it is under way: the nodes it has come to, and how far each is. */
export type Progress = Pick<Run, 'id' | 'workflowId' | 'workflowName' | 'executedAt' | 'version'> & {
  results: Record<string, Partial<NodeRun> & Pick<NodeRun, 'state'>>
}

const idle: NodeRun = { state: 'skipped', startedAt: null, completedAt: null, durationMs: null, result: null, error: null }

/** A run that has come further. What was told late does not bring back one that has ended. */
export function advanced(run: Run, { results }: Progress): Run {
  if (run.status !== 'running') return run
  const nodes = Object.entries(results).map(([id, node]): [string, NodeRun] => [id, { ...(run.results[id] ?? idle), ...node }])
  return { ...run, results: { ...run.results, ...Object.fromEntries(nodes) } }
}

/** A run of which nothing is known but how far it is. */
export function begun(progress: Progress): Run {
  const { id, workflowId, workflowName, executedAt, version } = progress
  const run: Run = { id, workflowId, workflowName, executedAt, version, status: 'running', durationMs: 0, context: {}, mcpResult: null, error: null, results: {} }
  return advanced(run, progress)
}

/** How long a run took, or has taken so far. */
export function lengthOf(run: Run, now: number): number {
  return run.status === 'running' ? Math.max(run.durationMs, now - run.executedAt) : run.durationMs
}

/** The time that a node took, in milliseconds. */
export function timeOf(node: NodeRun | undefined): number | undefined {
  if (!node || node.state === 'skipped') return undefined
  if (node.micros !== undefined && node.micros !== null) return node.micros / 1000
  return node.durationMs ?? undefined
}

/** The edges that a run followed. */
export function wayOf(run: Run, graph: Graph): Set<string> {
  const ran = (id: string) => (run.results[id]?.state ?? 'skipped') !== 'skipped'
  const choices = new Set(graph.nodes.filter(({ type }) => type === 'condition').map(({ id }) => id))
  const followed = graph.edges.filter(({ source, target, sourceHandle }) => {
    if (!ran(source) || !ran(target)) return false
    const chosen = choices.has(source) ? choiceOf(run.results[source]) : undefined
    return !sourceHandle || chosen === undefined || String(chosen) === sourceHandle
  })
  return new Set(followed.map((edge) => edge.id))
}

/** What a condition chose; one that failed, and was passed over, counts as false. */
function choiceOf(node: NodeRun | undefined): unknown {
  const chosen = (node?.result as { value?: unknown } | null | undefined)?.value
  return chosen ?? (node?.state === 'error' ? false : undefined)
}

const deeds: ReadonlySet<unknown> = new Set<Deed>(['changed', 'answered', 'replaced', 'blocked'])

/** What a node did to the request, where it did not just let it go on. */
export function deedOf({ state, result }: NodeRun): { deed?: Deed } {
  const verdict = (result as { verdict?: unknown } | null)?.verdict
  return state === 'completed' && deeds.has(verdict) ? { deed: verdict as Deed } : {}
}

/** What became of a node. */
export function outcomeOf(node: NodeRun): Outcome {
  return deedOf(node).deed ?? node.state
}

/** The node that kept a run from its end: one that blocked the request, or the last that failed in a run that failed. */
export function troubleOf(run: Run, graph: Graph): string | undefined {
  // Nothing waits for what runs aside, and a run goes on after a failure that it may pass over.
  const aside = new Set(graph.nodes.filter(isAside).map(({ id }) => id))
  const waited = Object.entries(run.results).filter(([id]) => !aside.has(id))
  const blocked = waited.find(([, node]) => outcomeOf(node) === 'blocked')
  if (blocked || run.status !== 'error') return blocked?.[0]
  const failed = waited.filter(([, { state }]) => state === 'error')
  // The record lists nodes as the graph does, which need not be how they ran.
  return failed.toSorted(([, one], [, other]) => (one.startedMicros ?? 0) - (other.startedMicros ?? 0)).at(-1)?.[0]
}

/** When a node began, while it runs. */
export function sinceOf(node: NodeRun): { since?: number } {
  return node.state === 'running' && node.startedAt !== null ? { since: node.startedAt } : {}
}
