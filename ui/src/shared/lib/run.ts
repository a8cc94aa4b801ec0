/** A run as the API gives it: one pass of a request through a graph. */
import type { Graph } from './graph'

/** How far a node of a run is; `skipped` is one that was not run. */
export type NodeState = 'running' | 'completed' | 'error' | 'skipped'

/** What one node of a run did. */
export interface NodeRun {
  state: NodeState
  startedAt: number | null
  completedAt: number | null
  durationMs: number | null
  micros?: number
  result: unknown
  error: string | null
  console?: { level: string; text: string }[]
  /** What it changed: the parameters, the reply. */
  changes?: Record<string, unknown>
}

/** One pass of a request through a graph. */
export interface Run {
  id: string
  workflowId: string
  workflowName: string
  status: 'running' | 'completed' | 'error'
  executedAt: number
  durationMs: number
  /** The revision of the workflow that it passed. */
  version: number
  context: Record<string, unknown>
  mcpResult: unknown
  error: string | null
  bypassed?: boolean
  results: Record<string, NodeRun>
}

/** The time that a node took, in milliseconds. */
export function timeOf(node: NodeRun | undefined): number | undefined {
  if (!node || node.state === 'skipped') return undefined
  if (node.micros !== undefined) return node.micros / 1000
  return node.durationMs ?? undefined
}

/** The edges that a run followed. */
export function wayOf(run: Run, graph: Graph): Set<string> {
  const ran = (id: string) => (run.results[id]?.state ?? 'skipped') !== 'skipped'
  const followed = graph.edges.filter(({ source, target, sourceHandle }) => {
    if (!ran(source) || !ran(target)) return false
    const chosen = (run.results[source]?.result as { value?: unknown } | null)?.value
    return !sourceHandle || chosen === undefined || String(chosen) === sourceHandle
  })
  return new Set(followed.map((edge) => edge.id))
}
