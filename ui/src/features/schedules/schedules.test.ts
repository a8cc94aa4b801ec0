import { expect, test } from 'vitest'
import type { Schedule } from './api'
import { bodyOf, type Draft, draftOf, isReady, newDraft, patchOf } from './draft'
import { intervalOf, kindOf, localText, millisecondsOf, stateOf, waitFor } from './times'

const fresh = newDraft(Date.UTC(2026, 0, 1), 'Asia/Tokyo')
const schedule = (part: Partial<Schedule>): Schedule => ({ id: 's', workflowName: 'report', next: [], createdAt: 0, updatedAt: 0, ...part })
const draft = (part: Partial<Draft>): Draft => ({ ...fresh, workflowName: 'report', ...part })

test.each([
  [1000, { count: 1, unit: 'seconds' }],
  [90_000, { count: 90, unit: 'seconds' }],
  [900_000, { count: 15, unit: 'minutes' }],
  [7_200_000, { count: 2, unit: 'hours' }],
  [172_800_000, { count: 2, unit: 'days' }],
  [1500, { count: 1.5, unit: 'seconds' }],
] as const)('%i ms reads in the largest unit that holds it whole', (ms, interval) => {
  expect(intervalOf(ms)).toEqual(interval)
  expect(millisecondsOf(interval.count, interval.unit)).toBe(ms)
})

test('a schedule goes into the form and comes out the same', () => {
  const whole = [{ at: 1_800_000_000_000 }, { everyMs: 900_000 }, { cron: '30 2 * * mon-fri', timeZone: 'Europe/Berlin' }] as const
  for (const when of whole) {
    const body = bodyOf(draftOf(schedule({ ...when, input: { region: 'eu' } as never, missed: 'once', overlap: true }), fresh))
    expect(body).toEqual({ workflowName: 'report', input: { region: 'eu' }, ...when, missed: 'once', overlap: true })
  }
  expect(kindOf(schedule({ cron: '@daily' }))).toBe('cron')
})

test('only what was changed is sent, so that a time that was not touched stays as it is', () => {
  const before = draftOf(schedule({ at: 1_800_000_000_123 }), fresh)
  expect(patchOf(before, { ...before, missed: 'once' })).toEqual({ missed: 'once' })
  const cron = draftOf(schedule({ cron: '@daily', timeZone: 'UTC' }), fresh)
  expect(patchOf(cron, { ...cron, kind: 'every', count: '5', unit: 'minutes' })).toEqual({ cron: null, timeZone: null, everyMs: 300_000 })
  for (const count of ['1e400', '1e305']) expect(patchOf(cron, { ...cron, kind: 'every', count, unit: 'days' })).toHaveProperty('everyMs', Number.MAX_VALUE)
})

test('a long number of the input keeps its digits', () => {
  const input = '{"id": 9007199254740993}'
  expect(patchOf(draft({ input }), draft({ input: '{"id": 9007199254740992}' }))).toHaveProperty('input')
  expect(patchOf(draft({ input }), draft({ input: '{ "id": 9007199254740993 }' }))).toEqual({})
})

test.each([
  [{ workflowName: '' }, false],
  [{}, true],
  [{ cron: ' ' }, false],
  [{ kind: 'every', count: '0' }, false],
  [{ kind: 'every', count: '1.5' }, true],
  [{ kind: 'every', count: '0x10' }, false],
  [{ kind: 'at', at: '' }, false],
  [{ input: '[1]' }, false],
  [{ input: '{' }, false],
  [{ input: '' }, true],
] as const)('the form with %j is ready: %s', (part, ready) => {
  expect(isReady(draft(part as Partial<Draft>))).toBe(ready)
})

test('a moment is shown as the clock of the browser has it', () => {
  expect(new Date(localText(1_800_000_000_000)).getTime()).toBe(1_800_000_000_000)
})

test('what a schedule is doing', () => {
  expect(stateOf({ paused: true, next: [] })).toBe('paused')
  expect(stateOf({ next: [] })).toBe('over')
  expect(stateOf({ next: [1], reason: 'not active' })).toBe('idle')
  expect(stateOf({ next: [1] })).toBe('active')
})

test('the list is read again shortly after the next time, and every minute at the latest', () => {
  expect(waitFor([], 0)).toBe(60_400)
  expect(waitFor([{ next: [5000, 9000] }, { next: [] }, { next: [8000] }], 0)).toBe(5400)
  expect(waitFor([{ next: [5] }], 4000)).toBe(1000)
})
