import type { Language } from '../lib/i18n'
import type { Saying } from './failures'

// The gateway tells why a server does not run in English. What it tells most is told here in Japanese.
const japanese: [RegExp, string][] = [
  [/not found on PATH/, 'コマンドが PATH に見つかりません。'],
  [/^command .*does not exist|^command does not exist/, 'コマンドが存在しません。'],
  [/is not executable/, 'コマンドに実行権限がありません。'],
  [/ended before it was ready/, 'サーバーが準備を終える前に終了しました。'],
  [/not ready within/, 'サーバーが制限時間内に起動しませんでした。'],
  [/^the server ended/, 'サーバーが終了しました。'],
  [/closed its standard (out|in)put/, 'サーバーが標準入出力を閉じました。'],
  [/connection to the server was lost/, 'サーバーとの接続が切れました。'],
  [/did not answer .*pings?\b/, 'サーバーが応答しなくなりました。'],
  [/wants the gateway to sign in/, 'サーバーへのサインインが必要です。'],
]

/** Why a server does not run, in the language of the page; its exit code once. */
export function sayingOfDown(reason: string, exitCode: number | null | undefined, language: Language): Saying {
  const code = exitCode === null || exitCode === undefined || /exit code/.test(reason) ? '' : ` (exit code ${exitCode})`
  const own = reason.charAt(0).toUpperCase() + reason.slice(1) + code
  const text = language === 'ja' ? japanese.find(([known]) => known.test(reason))?.[1] : undefined
  return text === undefined ? { text: own } : { text, own }
}
