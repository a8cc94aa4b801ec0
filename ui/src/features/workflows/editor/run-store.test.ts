import { expect, test } from 'vitest'
import { type Mark, sparing } from './run-store'

const mark = (state: Mark['state'], more: Partial<Mark> = {}): Mark => ({ state, count: 1, slowest: false, ...more })

test('only the nodes that came further are drawn again', () => {
  const before = new Map([['s', mark('completed', { time: 1 })], ['c', mark('running', { since: 5 })], ['e', mark('skipped')]])
  const next = new Map([['s', mark('completed', { time: 1 })], ['c', mark('completed', { time: 9 })], ['e', mark('skipped')]])
  const shown = sparing(before, next)
  expect(shown.get('s')).toBe(before.get('s'))
  expect(shown.get('e')).toBe(before.get('e'))
  expect(shown.get('c')).toBe(next.get('c'))
  expect(sparing(new Map(), next)).toEqual(next)
})
