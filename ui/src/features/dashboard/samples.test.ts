import { expect, test } from 'vitest'
import type { Figures } from '../../shared/api/types'
import { minutesOf, quantile, rates, recentBuckets, WINDOW, withSample, type Sample } from './samples'

const figures = (at: number, calls: number, errors = 0, buckets = [calls], uptime = 1e6) => ({ at, calls, errors, buckets, uptime }) as unknown as Figures
const after = (...all: Figures[]) => all.reduce<Sample[]>((samples, next) => withSample(samples, next), [])

test('rates are the difference of two samples by the seconds between them', () => {
  expect(rates(after(figures(0, 0), figures(2000, 10, 1), figures(4000, 10, 1)))).toEqual([[2, 4], [5, 0], [0.5, 0]])
})

test('the samples tell how far back they reach', () => {
  expect(minutesOf([])).toBe(1)
  expect(minutesOf(after(figures(0, 0), figures(2000, 1)))).toBe(1)
  expect(minutesOf(after(figures(0, 0), figures(61_000, 1)))).toBe(2)
  expect(minutesOf(after(figures(0, 0), figures(WINDOW, 1)))).toBe(5)
})

test('one sample has no rate yet', () => {
  expect(rates(after(figures(0, 5)))).toEqual([[], [], []])
})

test('samples leave the window, and a gateway that started again begins anew', () => {
  expect(after(figures(0, 1), figures(WINDOW + 1, 2)).map(({ at }) => at)).toEqual([WINDOW + 1])
  expect(after(figures(0, 9), figures(1000, 2)).map(({ at }) => at)).toEqual([1000])
})

test.each([
  ['calls', [9, 3, [4, 5], 1e6], [8, 3, [4, 5], 1e6]],
  ['errors', [9, 3, [4, 5], 1e6], [9, 2, [4, 5], 1e6]],
  ['times', [9, 3, [4, 5], 1e6], [9, 3, [3, 6], 1e6]],
  ['nothing, but the process is new', [9, 3, [4, 5], 60], [9, 3, [4, 5], 1.5]],
] as const)('where %s went back the gateway has started again', (_, [calls, errors, buckets, uptime], [calls2, errors2, buckets2, uptime2]) => {
  const both = [figures(10_000, calls, errors, [...buckets], uptime), figures(12_000, calls2, errors2, [...buckets2], uptime2)]
  expect(after(...both).map(({ at }) => at)).toEqual([12_000])
})

test('a gateway that goes on keeps its samples', () => {
  expect(after(figures(10_000, 9, 1, [9], 0.4), figures(12_000, 9, 1, [9], 2.4))).toHaveLength(2)
})

test('the same answer twice is one sample', () => {
  expect(after(figures(5, 1), figures(5, 1))).toHaveLength(1)
})

test('recent calls go before those since the start', () => {
  expect(recentBuckets(after(figures(0, 3, 0, [3, 0]), figures(1, 4, 0, [3, 1])))).toEqual({ buckets: [0, 1], recent: true })
  expect(recentBuckets(after(figures(0, 3, 0, [3, 0]), figures(1, 3, 0, [3, 0])))).toEqual({ buckets: [3, 0], recent: false })
})

test.each([
  [[10, 100], [0, 0, 0], 0.5, null],
  [[10, 100], [10, 0, 0], 0.5, 5],
  [[10, 100], [90, 10, 0], 0.95, 55],
  [[10, 100], [0, 0, 4], 0.5, 100],
])('with the bounds %j and counts %j the part %d stays below %s', (bounds, buckets, q, expected) => {
  expect(quantile(bounds, buckets, q)).toBe(expected)
})
