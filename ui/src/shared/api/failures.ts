import { ROLES, type Role } from '../lib/access'
import type { Language } from '../lib/i18n'
import { words } from '../ui/words'
import { ApiError } from './client'
import type { components } from './schema'

export type Code = components['schemas']['Code']

/** What a failure says, and in other languages than that of the gateway its own words where they tell more. */
export interface Saying {
  text: string
  own?: string
}

type Details = Record<string, unknown>

interface Entry {
  say: (details: Details, message: string) => string
  /** Whether the sentence tells all that the gateway does. */
  whole?: boolean
}

const named = (details: Details, ...keys: string[]): string => {
  const found = keys.map((key) => details[key]).find((value) => typeof value === 'string' && value !== '')
  return found === undefined ? '' : `「${String(found)}」`
}

const later = ({ retryAfter }: Details): string =>
  typeof retryAfter === 'number' ? `${retryAfter} 秒待ってからもう一度お試しください。` : '少し待ってからもう一度お試しください。'

const timeout = ({ timeout }: Details): string => (typeof timeout === 'number' ? `（${timeout} ミリ秒）` : '')
const exit = ({ exitCode }: Details): string => (typeof exitCode === 'number' ? `（終了コード ${exitCode}）` : '')

/** The words for every code; the compiler refuses a code that has none. */
export const japanese: Record<Code, Entry> = {
  VALIDATION_ERROR: { say: (d) => (named(d, 'field') ? `${named(d, 'field')}の内容を確認してください。` : '入力内容を確認してください。') },
  SERVER_NOT_FOUND: { say: (d) => `サーバー${named(d, 'server')}が見つかりません。`, whole: true },
  TOOL_NOT_FOUND: { say: (d) => `ツール${named(d, 'toolName')}が見つかりません。`, whole: true },
  TIMEOUT_ERROR: { say: (d) => `ツール${named(d, 'toolName')}が制限時間内${timeout(d)}に応答しませんでした。`, whole: true },
  SERVER_NOT_RUNNING: { say: (d) => `サーバー${named(d, 'server')}は動作していません。`, whole: true },
  SERVER_CRASHED: { say: (d) => `サーバー${named(d, 'server')}が異常終了しました${exit(d)}。`, whole: true },
  TOOL_EXECUTION_ERROR: { say: (d) => `${named(d, 'toolName') && `ツール${named(d, 'toolName')}の`}実行に失敗しました。` },
  INTERNAL_ERROR: { say: () => '内部エラーが発生しました。くわしくはゲートウェイのログを確認してください。' },
  NOT_FOUND: { say: (d) => `${named(d, 'server', 'name', 'id', 'sessionId', 'captureId')}が見つかりません。削除されたか、名前が違う可能性があります。`.replace(/^が/, '') },
  METHOD_NOT_ALLOWED: { say: () => 'この操作には対応していません。ページを再読み込みしてください。' },
  CONFLICT: { say: conflict },
  UNAUTHORIZED: { say: () => 'サインインが必要です。キーが正しいか、期限が切れていないか確認してください。', whole: true },
  FORBIDDEN: { say: ({ role }) => (isRole(role) ? words.ja.needs(role) : 'このキーではこの操作は許可されていません。') },
  RATE_LIMITED: { say: (d) => `リクエストが多すぎます。${later(d)}`, whole: true },
  OVERLOADED: { say: (d) => `処理中のリクエストが多すぎます。${later(d)}`, whole: true },
  CIRCUIT_OPEN: { say: (d) => `サーバー${named(d, 'server')}の失敗が続いたため、呼び出しを一時的に止めています。${later(d)}`, whole: true },
  STORE_UNAVAILABLE: { say: (d) => `ゲートウェイのデータベースが応答していません。${later(d)}` },
}

function conflict(details: Details, message: string): string {
  const name = named(details, 'name', 'server')
  if (name && message.endsWith(' is taken')) return `${name}という名前はすでに使われています。`
  const changed = details['revision'] !== undefined || details['version'] !== undefined
  return changed ? 'ほかの人が先に変更しました。何も上書きされていません。' : '現在の状態ではこの操作を行えません。'
}

function isRole(value: unknown): value is Role {
  return ROLES.includes(value as Role)
}

/** A failure in the language of the page. */
export function sayingOf(error: unknown, language: Language): Saying {
  if (!(error instanceof ApiError)) return { text: error instanceof Error ? error.message : String(error) }
  if (error.status === 0) return { text: words[language].unreachable }
  return sayingOfCode(error.code, error.message, error.details, language) ?? { text: words[language].oddAnswer(error.status) }
}

/** The same of a failure that came inside a reply; nothing of a code that is not the gateway's. */
export function sayingOfCode(code: string, message: string, details: Details, language: Language): Saying | undefined {
  if (!Object.hasOwn(japanese, code)) return undefined
  if (language === 'en') return { text: message }
  const { say, whole } = japanese[code as Code]
  return { text: say(details, message), ...(!whole && { own: message }) }
}

/** The codes of a script that failed, and the limits that stop one. */
export const scripts: Record<'SCRIPT_ERROR' | 'TIMEOUT' | 'EXECUTION_ERROR', string> = {
  SCRIPT_ERROR: 'スクリプトでエラーが発生しました。',
  TIMEOUT: 'スクリプトが制限時間内に終わりませんでした。',
  EXECUTION_ERROR: 'スクリプトを実行できませんでした。',
}
export const limits: Record<'time' | 'memory' | 'stack' | 'output' | 'requests' | 'workers', string> = {
  time: 'スクリプトが制限時間内に終わりませんでした。',
  memory: 'スクリプトがメモリの上限を超えました。',
  stack: 'スクリプトの呼び出しが深すぎます。',
  output: 'スクリプトの返す値が大きすぎるか、複雑すぎます。',
  requests: 'スクリプトからのリクエストが多すぎるか、大きすぎます。',
  workers: 'スクリプトを実行する空きがありませんでした。少し待ってからもう一度お試しください。',
}

/** Why a script failed, in the language of the page. */
export function sayingOfScript(error: { code: string; message: string; limit?: string | null }, language: Language): Saying {
  if (language === 'en') return { text: error.message }
  const text = limits[error.limit as keyof typeof limits] ?? scripts[error.code as keyof typeof scripts]
  return text ? { text, own: error.message } : { text: error.message }
}
