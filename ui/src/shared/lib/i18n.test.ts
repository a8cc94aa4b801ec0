import { expect, test } from 'vitest'
import { dictionary, initialLanguage } from './i18n'

test.each([
  ['ja', ['en-US'], 'ja'],
  [null, ['ja-JP', 'en'], 'ja'],
  [null, ['de', 'en'], 'en'],
  [null, ['de', 'ja'], 'ja'],
  ['xx', [], 'en'],
] as const)('stored %s with the preference %j begins with %s', (stored, preferred, language) => {
  expect(initialLanguage(stored, preferred)).toBe(language)
})

test('a name that is read from right to left turns no sentence that it is put into', () => {
  const { en, ja } = dictionary({
    en: { run: (name: string) => `Run of ${name}`, count: (n: number) => `${n} runs`, plain: 'Runs' },
    ja: { run: (name: string) => `${name} の実行`, count: (n: number) => `${n} 件`, plain: '実行' },
  })
  expect([ja.run('\u202eabc'), en.run('مرحبا'), ja.run('plain 👍')]).toEqual(['\u2068\u202eabc\u2069 の実行', 'Run of \u2068مرحبا\u2069', 'plain 👍 の実行'])
  expect([en.count(2), ja.count(2), en.plain, ja.plain]).toEqual(['2 runs', '2 件', 'Runs', '実行'])
})
