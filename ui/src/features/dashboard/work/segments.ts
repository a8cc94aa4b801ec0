/** How far a session is, one segment for each step. */
import type { Session } from './api'

export type Segment = 'done' | 'failed' | 'running' | 'waiting' | 'open'

/** The state of every step. What was passed over counts as done. */
export function segmentsOf({ totalSteps, history, running, waiting }: Pick<Session, 'totalSteps' | 'history' | 'running' | 'waiting'>): Segment[] {
  const furthest = Math.max(-1, ...history.map(({ stepIndex }) => stepIndex))
  return Array.from({ length: totalSteps }, (_, index): Segment => {
    if (waiting?.stepIndex === index) return 'waiting'
    if (running?.stepIndex === index) return 'running'
    const entry = history.findLast(({ stepIndex, compensation }) => stepIndex === index && !compensation)
    if (entry) return entry.success ? 'done' : 'failed'
    return index < Math.max(furthest, running?.stepIndex ?? -1, waiting?.stepIndex ?? -1) ? 'done' : 'open'
  })
}
