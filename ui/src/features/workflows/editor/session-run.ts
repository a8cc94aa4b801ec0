/** A session on the canvas: its steps are the activities along the way, so it looks like a run of the graph. */
import type { components } from '../../../shared/api/schema'
import { type Graph, stepNodes } from '../../../shared/lib/graph'
import type { NodeRun, Run } from '../../../shared/lib/run'

type Schemas = components['schemas']

/** What is needed of a session. */
export type Session = Pick<Schemas['WorkflowSession'], 'sessionId' | 'workflowName' | 'status' | 'totalSteps' | 'startedAt' | 'completedAt' | 'error' | 'history' | 'decisions' | 'running' | 'waiting' | 'workflowVersion'>

const idle: NodeRun = { state: 'skipped', startedAt: null, completedAt: null, durationMs: null, result: null, error: null }
const STATUS = { completed: 'completed', failed: 'error', cancelled: 'cancelled', pending: 'running', running: 'running', paused: 'running' } as const

/** A session as a run. One of a workflow with other steps tells nothing of the nodes. */
export function runOfSession(session: Session, graph: Graph, workflowId: string): Run {
  const line = stepNodes(graph)
  const fits = line.length === session.totalSteps
  const results = Object.fromEntries(fits ? line.map(({ id }, index) => [id, stepOf(session, index)]) : [])
  const others = fits ? { ...choicesOf(session, graph), ...endsOf(session, graph) } : {}
  const end = session.completedAt ?? session.history.at(-1)?.completedAt ?? session.startedAt
  return {
    id: session.sessionId,
    workflowId,
    workflowName: session.workflowName,
    status: STATUS[session.status],
    executedAt: session.startedAt,
    durationMs: Math.max(0, end - session.startedAt),
    version: session.workflowVersion ?? 0,
    context: {},
    mcpResult: null,
    error: session.error ?? null,
    results: { ...results, ...others },
  }
}

/** The conditions that were judged; the value says which way was taken. */
function choicesOf({ decisions = [] }: Session, { nodes }: Graph): Record<string, NodeRun> {
  const known = new Set(nodes.map(({ id }) => id))
  const judged = decisions.filter(({ nodeId }) => known.has(nodeId)).map(({ nodeId, way, error, timestamp: at }) => {
    const times = { startedAt: at, completedAt: at, durationMs: 0 }
    const value = typeof way === 'boolean' ? { value: way } : null
    return [nodeId, { ...idle, ...times, state: error ? 'error' : 'completed', result: value, error: error ?? null } satisfies NodeRun] as const
  })
  return Object.fromEntries(judged)
}

function endsOf({ status, startedAt, completedAt }: Session, { nodes }: Graph): Record<string, NodeRun> {
  const done = (at: number): NodeRun => ({ ...idle, state: 'completed', startedAt: at, completedAt: at, durationMs: 0 })
  const ends = nodes.flatMap(({ id, type }) => {
    if (type === 'start') return [[id, done(startedAt)] as const]
    return type === 'end' && status === 'completed' ? [[id, done(completedAt ?? startedAt)] as const] : []
  })
  return Object.fromEntries(ends)
}

function stepOf({ history, running, waiting }: Session, index: number): NodeRun {
  if (running?.stepIndex === index) return { ...idle, state: 'running', startedAt: running.since }
  const ran = history.filter(({ stepIndex, compensation }) => stepIndex === index && !compensation)
  const [first, last] = [ran[0], ran.at(-1)]
  if (!first || !last) return waiting?.stepIndex === index ? { ...idle, state: 'running' } : idle
  const error = ran.find(({ success }) => !success)?.error ?? null
  return {
    ...idle,
    state: ran.every(({ success }) => success) ? 'completed' : 'error',
    startedAt: first.startedAt,
    completedAt: last.completedAt,
    durationMs: last.completedAt - first.startedAt,
    error,
  }
}
