import type { Tone } from '../../shared/ui'
import type { StepState } from './detail/steps'
import type { SessionStatus } from './types'

/** The colour of each status. */
export const statusTones: Record<SessionStatus, Tone> = { pending: 'neutral', running: 'info', paused: 'warn', completed: 'good', failed: 'bad', cancelled: 'neutral' }

/** The colour of each state of a step. */
export const stateTones: Record<StepState, Tone> = {
  done: 'good', failed: 'bad', undone: 'warn', passed: 'neutral', asked: 'warn', doubt: 'warn', running: 'info', waits: 'info', next: 'accent', later: 'neutral', never: 'neutral',
}
