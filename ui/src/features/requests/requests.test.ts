import { expect, test } from 'vitest'
import type { RequestView } from './api'
import { readFilters, toneOf, unique } from './filters'

test('filters of an address are read, and nonsense is left out', () => {
  expect(readFilters({ text: 7, server: 'files', way: 'rest', outcome: 'error', slower: 250 })).toEqual({ text: '7', server: 'files', way: 'rest', outcome: 'error', slower: '250' })
  expect(readFilters({ text: '', way: 'pigeon', slower: 'long', other: 'x' })).toEqual({})
})

test.each([['ok', 'good'], ['CANCELLED', 'warn'], ['TOOL_TIMEOUT', 'bad']] as const)('a request that ended as %s is %s', (outcome, tone) => {
  expect(toneOf({ outcome })).toBe(tone)
})

test('a request that came in twice is there once', () => {
  const one = (id: number) => ({ id }) as RequestView
  expect(unique([{ requests: [one(3), one(2)] }, { requests: [one(2), one(1)] }]).map(({ id }) => id)).toEqual([3, 2, 1])
})
