import { expect, test, vi } from 'vitest'

vi.stubGlobal('document', { baseURI: 'http://gateway/' })
const { callTool } = await import('./client')

/** A reply whose body breaks off after its first bytes, as it does when the gateway is gone at once. */
function broken(type: string, error: unknown): Response {
  let sent = false
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (sent) controller.error(error)
    else controller.enqueue(new TextEncoder().encode('data: {'))
    sent = true
  }
  return new Response(new ReadableStream({ pull }), { headers: { 'content-type': type } })
}

const call = (signal?: AbortSignal) => callTool({ name: 't', schema: {} }, {}, signal ? { signal } : {})

test.each(['text/event-stream', 'application/json'])('a reply of %s that breaks off says so in our own words', async (type) => {
  vi.stubGlobal('fetch', async () => broken(type, new TypeError('network error')))
  const reply = await call()
  expect(reply.kind === 'error' && reply.error.message).toMatch(/^(The connection ended before the reply|応答を受け取る前に接続が切れました。)$/)
})

test.each(['text/event-stream', 'application/json'])('a call that was cancelled while its reply of %s came is no error', async (type) => {
  const abort = new AbortController()
  abort.abort()
  vi.stubGlobal('fetch', async () => broken(type, new DOMException('aborted', 'AbortError')))
  await expect(call(abort.signal)).rejects.toThrow('aborted')
})
