import { expect, test } from 'vitest'
import { rangeText } from './range'

test('a range reads as people write it', () => {
  expect(rangeText('1', '9')).toBe('1 – 9')
  expect(rangeText('1', undefined)).toBe('≥ 1')
  expect(rangeText('>0', '<5')).toBe('> 0, < 5')
  expect(rangeText(undefined, '5')).toBe('≤ 5')
  expect(rangeText(undefined, undefined)).toBe('')
})
