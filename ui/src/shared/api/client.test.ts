import { beforeAll, expect, test, vi } from 'vitest'
import { NumberText } from '../lib/json'

type Client = typeof import('./client')
let client: Client

beforeAll(async () => {
  vi.stubGlobal('document', { baseURI: 'http://gateway/gw/#/servers' })
  client = await import('./client')
})

test('the gateway is beside the page, below its sub-path', () => {
  expect(client.base.href).toBe('http://gateway/gw/')
})

test('a refusal carries code, message and details', async () => {
  const body = { success: false, error: { code: 'CONFLICT', message: 'taken', details: { name: 'a' } } }
  const reply = Promise.resolve({ error: body, response: new Response(null, { status: 409 }) })
  await expect(client.unwrap(reply)).rejects.toMatchObject({ status: 409, code: 'CONFLICT', message: 'taken', details: { name: 'a' } })
})

test('an answer that is no envelope still names the status', () => {
  expect(client.refusal(502, 'Bad gateway')).toMatchObject({ status: 502, code: 'HTTP_502' })
})

test('a gateway that cannot be reached has the status 0', async () => {
  await expect(client.unwrap(Promise.reject(new TypeError('failed')))).rejects.toMatchObject({ status: 0, code: 'UNREACHABLE' })
})

test('a gateway that cannot be reached is told in the language of the page, not in the words of the browser', async () => {
  const told = (lang: string) => {
    vi.stubGlobal('document', { baseURI: 'http://gateway/gw/#/servers', documentElement: { lang } })
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    return Promise.all([client.unwrap(client.api.GET('/api/servers', { fetch })), client.send('mcp')].map((one: Promise<unknown>) => one.catch((error: Error) => error.message)))
  }
  expect(await told('en')).toEqual(Array(2).fill('The gateway cannot be reached. Is it running?'))
  expect(await told('ja')).toEqual(Array(2).fill('ゲートウェイに接続できません。起動していますか？'))
  vi.unstubAllGlobals()
})

test('numbers keep their digits in what is sent and in what comes back', async () => {
  const sent: Request[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(request)
    return new Response('{"memory":{"id":9007199254740993},"count":1.0}', { headers: { 'content-type': 'application/json' } })
  })
  const input = { id: new NumberText('9007199254740993') }
  const reply = await client.unwrap(client.api.POST('/api/workflows/{id}/execute', { params: { path: { id: 'w' } }, body: input as never, fetch }))
  expect(reply).toEqual({ memory: { id: new NumberText('9007199254740993') }, count: 1 })
  expect(await sent[0]?.text()).toBe('{"id":9007199254740993}')
  expect(sent[0]?.headers.get('x-lockgate-ui')).toBe('1')
  vi.unstubAllGlobals()
})

test('whoever is not known any more is noticed, whatever was asked; the session itself is asked by those who wonder', async () => {
  const seen = vi.fn()
  client.onStranger(seen)
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 401, headers: { 'content-type': 'application/json' } }))
  await client.api.GET('/api/session', { fetch })
  expect(seen).toHaveBeenCalledTimes(0)
  await client.api.GET('/api/servers', { fetch })
  await client.send('mcp')
  expect(seen).toHaveBeenCalledTimes(2)
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 403, headers: { 'content-type': 'application/json' } }))
  await client.api.GET('/api/servers', { fetch })
  await client.send('mcp')
  expect(seen).toHaveBeenCalledTimes(2)
  vi.unstubAllGlobals()
})
