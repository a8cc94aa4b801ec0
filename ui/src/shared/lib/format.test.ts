import { expect, test } from 'vitest'
import { formatBytes, formatDuration, formatMoment, formatShare, isolated } from './format'

test.each([
  [0, '0 ms'], [0.417, '0.42 ms'], [1.24, '1.2 ms'], [12.4, '12 ms'], [999.4, '999 ms'], [1500, '1.5 s'],
  [42_300, '42 s'], [200_000, '3 min 20 s'], [180_000, '3 min'], [7_500_000, '2 h 5 min'], [356_400_000, '4 d 3 h'],
  [Number.NaN, '–'], [-1, '–'],
])('a span of %d ms reads %s', (span, text) => {
  expect(formatDuration(span, 'en')).toBe(text)
})

test.each([[12.4, '12 ms'], [1500, '1.5 秒'], [191_000, '3 分 11 秒'], [86_280_000, '23 時間 58 分'], [356_400_000, '4 日 3 時間']])('a span of %d ms reads %s in Japanese', (span, text) => {
  expect(formatDuration(span, 'ja')).toBe(text)
})

test.each([[0, '0 B'], [999, '999 B'], [4200, '4.2 KB'], [1_500_000, '1.5 MB']])('%d bytes read %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([[0, 0, '0 %'], [1, 250, '0.4 %'], [12, 100, '12 %'], [5, 5, '100 %']])('%d of %d reads %s', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text)
})

test('a moment of today has no date, another day has one, another year its year', () => {
  const now = new Date(2026, 10, 15, 12, 0, 0).getTime()
  expect(formatMoment(now, 'en', now)).toBe('12:00:00')
  expect(formatMoment(now - 86_400_000, 'en', now)).toBe('Nov 14, 12:00:00')
  expect(formatMoment(new Date(2031, 11, 24, 18).getTime(), 'en', now)).toBe('Dec 24, 2031, 18:00:00')
})

test.each(['en', 'ja'])('the hour after midnight is the first of the day, %s', (language) => {
  const now = new Date(2026, 10, 15, 0, 5, 7).getTime()
  expect(formatMoment(now, language, now)).toBe('00:05:07')
})

test('a name that is read from right to left turns nothing but itself', () => {
  expect(isolated("Node 'h' (\u202eעברית) has no script", ['h', '\u202eעברית'])).toBe("Node 'h' (\u2068\u202eעברית\u2069) has no script")
  expect(isolated('“Start” leads nowhere.', ['Start', ''])).toBe('“Start” leads nowhere.')
})
