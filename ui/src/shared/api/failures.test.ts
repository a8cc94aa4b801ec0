import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'

let failures: typeof import('./failures')
let client: typeof import('./client')

beforeAll(async () => {
  vi.stubGlobal('document', { baseURI: 'http://gateway/' })
  client = await import('./client')
  failures = await import('./failures')
})

const root = resolve(import.meta.dirname, '../../../..')
const saying = (code: string, message: string, details = {}) => failures.sayingOf(new client.ApiError(400, code, message, details), 'ja')

test('every code of the gateway has words of its own', () => {
  const pages = readdirSync(resolve(root, 'docs/errors')).map((file) => file.replace(/\.md$/, ''))
  expect(Object.keys(failures.japanese).sort()).toEqual(pages.sort())
  for (const [code, { say }] of Object.entries(failures.japanese)) {
    expect(say({}, ''), code).toMatch(/^[^「」]+。$/)
  }
})

test('every code and limit of a script has words of its own', () => {
  const source = readFileSync(resolve(root, 'crates/sandbox/src/error.rs'), 'utf8')
  const named = (kind: string) => [...source.matchAll(new RegExp(`^ +${kind}::\\w+ => "(\\w+)"`, 'gm'))].map(([, name]) => name).sort()
  expect(Object.keys(failures.scripts).sort()).toEqual(named('ErrorCode'))
  expect(Object.keys(failures.limits).sort()).toEqual(named('Limit'))
})

test('names and values of the details are told, and the words of the gateway where they tell more', () => {
  expect(saying('SERVER_CRASHED', "MCP Server 's1' has crashed", { server: 's1', exitCode: 1 })).toEqual({ text: 'サーバー「s1」が異常終了しました（終了コード 1）。' })
  expect(saying('RATE_LIMITED', 'Too many requests', { retryAfter: 3 })).toEqual({ text: 'リクエストが多すぎます。3 秒待ってからもう一度お試しください。' })
  expect(saying('VALIDATION_ERROR', 'url must be http', { field: 'url' })).toEqual({ text: '「url」の内容を確認してください。', own: 'url must be http' })
  expect(saying('NOT_FOUND', "Hook 'x' not found", { id: 'x' }).text).toBe('「x」が見つかりません。削除されたか、名前が違う可能性があります。')
  expect(saying('CONFLICT', "Hook name 'a' is taken", { name: 'a' }).text).toBe('「a」という名前はすでに使われています。')
  expect(saying('CONFLICT', 'changed', { revision: 4 }).text).toMatch(/^ほかの人が先に/)
  expect(saying('FORBIDDEN', 'This takes a key', { role: 'operator' }).text).toContain('「運用者」')
})

test('in English the gateway speaks for itself', () => {
  expect(failures.sayingOf(new client.ApiError(409, 'CONFLICT', 'taken'), 'en')).toEqual({ text: 'taken' })
  expect(failures.sayingOfScript({ code: 'TIMEOUT', message: 'late' }, 'en')).toEqual({ text: 'late' })
})

test('what did not come from the gateway is told so', () => {
  expect(failures.sayingOf(client.refusal(502, 'Bad gateway'), 'en').text).toContain('HTTP 502')
  expect(saying('UNKNOWN_CODE', 'x').text).toContain('HTTP 400')
  expect(failures.sayingOf(new client.ApiError(0, 'UNREACHABLE', 'x'), 'ja').text).toContain('接続できません')
  expect(failures.sayingOf('plain', 'ja')).toEqual({ text: 'plain' })
})

test('a script that a limit stopped is told by the limit', () => {
  const error = { code: 'EXECUTION_ERROR', message: 'out of memory', limit: 'memory' }
  expect(failures.sayingOfScript(error, 'ja')).toEqual({ text: 'スクリプトがメモリの上限を超えました。', own: 'out of memory' })
})
