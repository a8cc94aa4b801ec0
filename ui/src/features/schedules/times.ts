/** The times of schedules: which kind there is, how an interval reads, and when to look again. */
import type { Schedule } from './api'

export const KINDS = ['cron', 'every', 'at'] as const
export type Kind = (typeof KINDS)[number]

/** The kind of time that a schedule has. */
export function kindOf({ at, everyMs }: Pick<Schedule, 'at' | 'everyMs'>): Kind {
  if (typeof at === 'number') return 'at'
  return typeof everyMs === 'number' ? 'every' : 'cron'
}

export const UNITS = ['seconds', 'minutes', 'hours', 'days'] as const
export type Unit = (typeof UNITS)[number]

const SIZES: Readonly<Record<Unit, number>> = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/** An interval in the largest unit that holds it whole; seconds may have a fraction. */
export function intervalOf(everyMs: number): { count: number; unit: Unit } {
  const unit = UNITS.findLast((one) => everyMs % SIZES[one] === 0) ?? 'seconds'
  return { count: everyMs / SIZES[unit], unit }
}

/** An interval in milliseconds. */
export function millisecondsOf(count: number, unit: Unit): number {
  return Math.round(count * SIZES[unit])
}

/** A moment as the clock of this browser shows it, for a field of date and time. */
export function localText(at: number): string {
  const moment = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-')
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`
}

/** What a schedule is doing. */
export type State = 'active' | 'idle' | 'paused' | 'over'

/** `idle`: its times pass unused. `over`: it has no more times. */
export function stateOf({ paused, next, reason }: Pick<Schedule, 'paused' | 'next' | 'reason'>): State {
  if (paused) return 'paused'
  if (next.length === 0) return 'over'
  return reason ? 'idle' : 'active'
}

/** How long to wait until the list is read again: until shortly after the next time, at least a second. */
export function waitFor(schedules: readonly Pick<Schedule, 'next'>[], now: number): number {
  const next = Math.min(...schedules.flatMap((one) => one.next.slice(0, 1)), now + 60_000)
  return Math.max(1000, next - now + 400)
}

/** The names of time zones that this browser knows. */
export function zones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}

/** The time zone of this browser. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}
