/** How far each step of a session is, and where its history stands on the timeline. */
import { type Graph, type GraphNode, stepNodes } from '../../../shared/lib/graph'
import { OPEN, type Session, type Step, type StepExecution } from '../types'
import { type Road, roadOf } from './road'

/**
 * `running`: it was begun and has not ended. `asked`: somebody must allow it. `doubt`: nobody knows what became of it. `waits`: for an event or a session.
 * `passed`: its condition was false, or it stands on a way that was not taken. `never`: the session ended before it.
 */
export type StepState = 'done' | 'failed' | 'undone' | 'passed' | 'running' | 'asked' | 'doubt' | 'waits' | 'next' | 'later' | 'never'

export interface StepView {
  readonly index: number
  readonly name: string
  readonly state: StepState
  /** Its entries of the history, those that undid it included. */
  readonly entries: readonly StepExecution[]
  /** Milliseconds of its last execution. */
  readonly took: number | undefined
  /** When it began, while it runs. */
  readonly since: number | undefined
  /** Whether it stands on a way that was not taken. */
  readonly off: boolean
  readonly step: Step | undefined
}

/** The steps of a session, with what the graph of its workflow says of them where it still fits. */
export function stepsOf(session: Session, graph: Graph | undefined): StepView[] {
  const line = fitting(session, graph)
  const place = placeOf(session, line && graph)
  return Array.from({ length: session.totalSteps }, (_, index): StepView => {
    const step = line?.[index]
    const entries = session.history.filter((entry) => entry.stepIndex === index)
    const run = entries.filter((entry) => !entry.compensation)
    const waiting = session.waiting?.stepIndex === index ? session.waiting.activityName : undefined
    const name = nameOf(step) ?? run.at(-1)?.activityName ?? waiting ?? String(index + 1)
    const state = stateOf(session, index, entries, place)
    const since = state === 'running' ? session.running?.since : undefined
    return { index, name, state, entries, took: tookOf(run), since, off: place.off.has(index), step }
  })
}

/** The steps of the graph, where the session has as many. */
export function fitting(session: Session, graph: Graph | undefined): Step[] | undefined {
  const line = graph && lineOf(graph)
  return line?.length === session.totalSteps ? line : undefined
}

/** The condition that is judged before the next step of an open session. */
export function undecided(session: Session, graph: Graph | undefined): GraphNode | undefined {
  if (!fitting(session, graph) || !OPEN.includes(session.status)) return undefined
  const { next } = placeOf(session, graph)
  return typeof next === 'object' ? next : undefined
}

interface Place extends Road {
  /** The index of the furthest step that the session has come to. */
  readonly furthest: number
}

function placeOf(session: Session, graph: Graph | undefined): Place {
  const { waiting, running, history } = session
  const ran = history.filter((entry) => !entry.compensation).map((entry) => entry.stepIndex)
  const furthest = Math.max(-1, waiting?.stepIndex ?? -1, running?.stepIndex ?? -1, ...ran)
  if (graph) return { furthest, ...roadOf(session, graph, furthest) }
  // Without the graph, what the last step offered tells how far the session has come.
  const next = Math.max(furthest + 1, expectedStep(session) ?? 0)
  return { furthest: next - 1, next, off: new Set() }
}

/** What a step is called: its activity, or those that run at the same time. */
export function nameOf(step: Step | undefined): string | undefined {
  if (step?.parallel && step.parallel.length > 0) return step.parallel.map(({ activity }) => activity).join(' + ')
  return step?.activity || undefined
}

/** The steps of a graph, in their order. */
export function lineOf(graph: Graph): Step[] {
  return stepNodes(graph).map(({ data }) => (data['step'] ?? {}) as Step)
}

function tookOf(run: readonly StepExecution[]): number | undefined {
  if (run.length === 0) return undefined
  return Math.max(...run.map((entry) => entry.completedAt)) - Math.min(...run.map((entry) => entry.startedAt))
}

const HELD = { approval: 'asked', uncertain: 'doubt', event: 'waits', session: 'waits' } as const

function stateOf(session: Session, index: number, entries: readonly StepExecution[], { furthest, off, next }: Place): StepState {
  const { waiting, status } = session
  if (waiting?.stepIndex === index) return HELD[waiting.for]
  const running = session.running?.stepIndex
  if (running === index) return 'running'
  const run = entries.filter((entry) => !entry.compensation)
  if (run.length > 0) {
    if (run.some((entry) => !entry.success)) return 'failed'
    return entries.some((entry) => entry.compensation && entry.success) ? 'undone' : 'done'
  }
  if (index <= furthest || off.has(index) || status === 'completed') return 'passed'
  if (!OPEN.includes(status)) return 'never'
  return index === next && !waiting && running === undefined ? 'next' : 'later'
}

/** Where a bar stands on the timeline, in shares of the whole. */
export interface Bar {
  readonly left: number
  readonly width: number
}

/**
 * The bars of a history, in its order. A session mostly waits for its client, so time in which nothing ran is
 * shortened to at most a quarter of the time in which something did.
 */
export function barsOf(history: readonly StepExecution[]): Bar[] {
  const busy = busyTimes(history)
  const worked = busy.reduce((sum, [from, to]) => sum + to - from, 0)
  const most = Math.max(1, worked / 4)
  const marks: [time: number, place: number][] = []
  let place = 0
  for (const [at, [from, to]] of busy.entries()) {
    const before = busy[at - 1]
    if (before) place += Math.min(from - before[1], most)
    marks.push([from, place])
    place += to - from
    marks.push([to, place])
  }
  const whole = Math.max(place, 1)
  const placeOf = (time: number) => {
    const mark = marks.findLast(([moment]) => moment <= time) ?? [time, 0]
    return mark[1] + time - mark[0]
  }
  return history.map(({ startedAt, completedAt }) => {
    const left = placeOf(startedAt) / whole
    return { left, width: Math.max(0, placeOf(completedAt) / whole - left) }
  })
}

/** The times in which something ran, those that touch made one. */
function busyTimes(history: readonly StepExecution[]): [from: number, to: number][] {
  const all: [number, number][] = []
  for (const { startedAt, completedAt } of [...history].sort((a, b) => a.startedAt - b.startedAt)) {
    const last = all.at(-1)
    if (last && startedAt <= last[1]) last[1] = Math.max(last[1], completedAt)
    else all.push([startedAt, Math.max(startedAt, completedAt)])
  }
  return all
}

/** The step that ran last, when what it offers is still to be chosen from: more than going on. */
export function offering(session: Session): StepExecution | undefined {
  if (!OPEN.includes(session.status) || session.waiting || session.running) return undefined
  const last = session.history.findLast((entry) => !entry.compensation)
  const others = last?.branchOptions?.some(({ toolName }) => toolName !== `${session.workflowName}_continue`)
  return others ? last : undefined
}

/** The step that the next continue is meant to run, as the last step offered it. */
export function expectedStep(session: Session): number | undefined {
  const own = `${session.workflowName}_continue`
  const offered = session.history.findLast((entry) => !entry.compensation)?.branchOptions ?? []
  const parameters = offered.find(({ toolName }) => toolName === own)?.parameters as { expectedStep?: unknown } | undefined
  return typeof parameters?.expectedStep === 'number' ? parameters.expectedStep : undefined
}
