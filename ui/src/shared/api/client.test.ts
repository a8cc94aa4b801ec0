import { beforeAll, expect, test, vi } from 'vitest'

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
