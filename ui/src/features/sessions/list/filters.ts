/** Which sessions are shown. The filters live in the address, so that a view can be shared and reloaded. */
import { type Session, type SessionStatus, STATUSES, type Waiting } from '../types'

export interface Filters {
  readonly status?: SessionStatus
  readonly workflow?: string
  readonly waiting?: Waiting['for']
  /** Who started it, such as `schedule:` and the id of a schedule. */
  readonly client?: string
}

export const WAITS: readonly Waiting['for'][] = ['approval', 'event', 'session', 'uncertain']

/** The filters of an address; what makes no sense is left out. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const status = STATUSES.find((word) => word === search['status'])
  const waiting = WAITS.find((word) => word === search['waiting'])
  const [workflow, client] = [named(search['workflow']), named(search['client'])]
  return { ...(status && { status }), ...(workflow && { workflow }), ...(waiting && { waiting }), ...(client && { client }) }
}

/** A name of the address: numbers are names too. */
function named(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value)
}

/** Sessions of several answers as one list: one that came in twice while they were read is there once. */
export function unique(pages: readonly { readonly sessions: readonly Session[] }[]): Session[] {
  const seen = new Map<string, Session>()
  for (const { sessions } of pages) for (const session of sessions) if (!seen.has(session.sessionId)) seen.set(session.sessionId, session)
  return [...seen.values()]
}

type Told = Pick<Session, 'status' | 'totalSteps' | 'history' | 'running' | 'waiting' | 'decisions'>

/** How many steps are behind a session: those that ran and those that were passed over, also ahead of it. */
export function progressOf({ status, totalSteps, history, running, waiting, decisions }: Told): number {
  if (status === 'completed') return totalSteps
  const ran = history.filter(({ compensation }) => !compensation).map(({ stepIndex, success }) => stepIndex + (success || status !== 'failed' ? 1 : 0))
  const reached = Math.max(0, running?.stepIndex ?? 0, waiting?.stepIndex ?? 0, ...ran)
  const ahead = new Set(decisions?.flatMap(({ passedSteps }) => passedSteps ?? []).filter((step) => step >= reached))
  return reached + ahead.size
}
