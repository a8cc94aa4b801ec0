/** A schedule while it is edited: every field as it stands in the form. */
import { isNumberText } from '../../shared/lib/json'
import { sendable, valueOf, writeJson } from '../../shared/lib/values'
import type { Schedule } from './api'
import { intervalOf, type Kind, kindOf, localText, millisecondsOf, type Unit } from './times'

export interface Draft {
  workflowName: string
  kind: Kind
  at: string
  count: string
  unit: Unit
  cron: string
  timeZone: string
  /** Nothing until it is typed: then it is what the schema of the workflow sets. */
  input: string | undefined
  missed: 'skip' | 'once'
  overlap: boolean
}

/** A new schedule: every day in the morning, as the clock of this browser goes. */
export function newDraft(now: number, timeZone: string): Draft {
  const nextHour = Math.ceil((now + 60_000) / 3_600_000) * 3_600_000
  return { workflowName: '', kind: 'cron', at: localText(nextHour), count: '1', unit: 'hours', cron: '0 8 * * *', timeZone, input: undefined, missed: 'skip', overlap: false }
}

/** The draft of a schedule that is there; what it has no value for begins as a new one does. */
export function draftOf(schedule: Schedule, fresh: Draft): Draft {
  const { count, unit } = typeof schedule.everyMs === 'number' ? intervalOf(schedule.everyMs) : fresh
  return {
    workflowName: schedule.workflowName,
    kind: kindOf(schedule),
    at: typeof schedule.at === 'number' ? localText(schedule.at) : fresh.at,
    count: String(count),
    unit,
    cron: schedule.cron ?? fresh.cron,
    timeZone: schedule.cron ? (schedule.timeZone ?? 'UTC') : fresh.timeZone,
    input: writeJson(schedule.input ?? {}, 2),
    missed: schedule.missed ?? 'skip',
    overlap: schedule.overlap ?? false,
  }
}

/** What the API takes. */
export function bodyOf(draft: Draft): Record<string, unknown> {
  const { workflowName, input, missed, overlap } = draft
  return { workflowName, input: valueOf(input ?? '').value ?? {}, ...whenOf(draft), missed, overlap }
}

function whenOf({ kind, at, count, unit, cron, timeZone }: Draft): Record<string, unknown> {
  if (kind === 'at') return { at: new Date(at).getTime() }
  if (kind === 'every') return { everyMs: sendable(millisecondsOf(Number(count), unit)) }
  return { cron: cron.trim(), ...(timeZone.trim() !== '' && { timeZone: timeZone.trim() }) }
}

/** What has to be sent to make one draft into another: the fields that differ, and null for those that went. */
export function patchOf(before: Draft, after: Draft): Record<string, unknown> {
  const [old, now] = [bodyOf(before), bodyOf(after)]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return Object.fromEntries(keys.filter((key) => writeJson(old[key]) !== writeJson(now[key])).map((key) => [key, now[key] ?? null]))
}

/** Whether the form holds enough to be sent; the gateway judges the rest. */
export function isReady({ workflowName, kind, at, count, cron, input }: Draft): boolean {
  const { value, bad } = valueOf(input ?? '')
  if (workflowName === '' || bad || (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value)))) return false
  if (kind === 'at') return !Number.isNaN(new Date(at).getTime())
  return kind === 'every' ? isNumberText(count) && Number(count) > 0 : cron.trim() !== ''
}
