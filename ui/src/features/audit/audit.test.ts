import { expect, test } from 'vitest'
import type { Entry } from './api'
import { methodOf, outcomeOf, readFilters, unique } from './filters'

test('filters of an address are read, and nonsense is left out', () => {
  expect(readFilters({ kind: 'call', who: 12, subject: 'files/read' })).toEqual({ kind: 'call', who: '12', subject: 'files/read' })
  expect(readFilters({ kind: 'odd', who: '', subject: null })).toEqual({})
})

test.each([
  ['change', { status: 201, method: 'POST' }, { tone: 'good', text: '201' }],
  ['change', { status: 403, method: 'POST' }, { tone: 'bad', text: '403' }],
  ['call', { outcome: 'OK' }, { tone: 'good', text: 'OK' }],
  ['call', { outcome: 'CANCELLED' }, { tone: 'warn', text: 'CANCELLED' }],
  ['call', { outcome: 'TIMEOUT' }, { tone: 'bad', text: 'TIMEOUT' }],
  ['lost', { entries: 7 }, { tone: 'bad', text: '7' }],
  ['call', null, undefined],
] as const)('a %s with %j ends as %j', (kind, details, outcome) => {
  expect(outcomeOf({ kind, details })).toEqual(outcome)
})

test('what was done is the method, and an entry that came in twice is there once', () => {
  expect([methodOf({ details: { method: 'PATCH' } }), methodOf({ details: null })]).toEqual(['PATCH', ''])
  const entry = (number: number) => ({ number }) as Entry
  expect(unique([[entry(3), entry(2)], [entry(2), entry(1)]]).map(({ number }) => number)).toEqual([3, 2, 1])
})
