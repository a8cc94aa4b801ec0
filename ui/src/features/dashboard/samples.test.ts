import { expect, test } from 'vitest'
import type { Figures } from '../../shared/api/types'
import { minutesOf, quantile, rates, recentBuckets, WINDOW, withSample, type Sample } from './samples'

const figures = (at: number, calls: number, errors = 0, buckets = [calls]) => ({ at, calls, errors, buckets }) as unknown as Figures
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
