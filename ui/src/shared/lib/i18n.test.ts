import { expect, test } from 'vitest'
import { initialLanguage } from './i18n'

test.each([
  ['ja', ['en-US'], 'ja'],
  [null, ['ja-JP', 'en'], 'ja'],
  [null, ['de', 'en'], 'en'],
  [null, ['de', 'ja'], 'ja'],
  ['xx', [], 'en'],
] as const)('stored %s with the preference %j begins with %s', (stored, preferred, language) => {
  expect(initialLanguage(stored, preferred)).toBe(language)
})
