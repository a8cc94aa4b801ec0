import { expect, test } from 'vitest'
import { sayingOfDown } from './down'

test.each([
  ['the server ended (exit code 1)', 1, 'The server ended (exit code 1)'],
  ['the server closed its standard output', 3, 'The server closed its standard output (exit code 3)'],
  ['connection refused', null, 'Connection refused'],
] as const)('%s with the exit code %s is told with the code once', (reason, code, text) => {
  expect(sayingOfDown(reason, code, 'en')).toEqual({ text })
})

test.each([
  ['the server ended before it was ready (exit code 3)', 'サーバーが準備を終える前に終了しました。'],
  ['command not found on PATH; install it or give its full path', 'コマンドが PATH に見つかりません。'],
  ['the server did not answer three pings in a row', 'サーバーが応答しなくなりました。'],
])('%s is told in Japanese, above the words of the gateway', (reason, text) => {
  expect(sayingOfDown(reason, null, 'ja')).toEqual({ text, own: reason.charAt(0).toUpperCase() + reason.slice(1) })
})

test('a reason that is not known here stays as it is', () => {
  expect(sayingOfDown('odd', null, 'ja')).toEqual({ text: 'Odd' })
})
