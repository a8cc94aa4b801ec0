import { beforeAll, expect, test, vi } from 'vitest'
import { fromPlain, parse, type Json } from '../../../shared/lib/json'
import { curl } from './curl'
import { headerText, mirrored } from './headers'
import { readHistory, remember, type Entry } from './history'
import { answersTo, askingOf } from './questions'
import { EventReader } from './sse'

type Client = typeof import('./client')
let client: Client
let split: typeof import('./split')

beforeAll(async () => {
  vi.stubGlobal('document', { baseURI: 'http://gateway/gw/' })
  client = await import('./client')
  split = await import('./split')
})

test('events come whole, whatever pieces they arrive in', () => {
  const text = ': hello\n\nevent: message\r\ndata: {"a":1}\r\n\r\ndata: x\ndata:y\n\ndata: z'
  for (const size of [1, 2, 3, 7, 1000]) {
    const reader = new EventReader()
    const seen: string[] = []
    for (let at = 0; at < text.length; at += size) seen.push(...reader.push(text.slice(at, at + size)))
    expect(seen, String(size)).toEqual(['{"a":1}', 'x\ny'])
    expect(reader.push('\n\n')).toEqual(['z'])
  }
})

test('a header holds any text', () => {
  expect(headerText('fetch-weather')).toBe('fetch-weather')
  expect(headerText('天気')).toBe('=?base64?5aSp5rCX?=')
  expect(headerText(' a')).toBe('=?base64?IGE=?=')
  expect(headerText('=?base64?x?=')).toBe('=?base64?PT9iYXNlNjQ/eD89?=')
})

test('arguments that a tool wants as headers are repeated', () => {
  const schema = fromPlain({
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, n: { 'x-mcp-header': 'N' }, o: { properties: { deep: { 'x-mcp-header': 'Deep' } } } },
  })
  expect(mirrored(schema, parse('{"region":"eu","n":12345678901234567890,"o":{"deep":true}}'))).toEqual({
    'Mcp-Param-Region': 'eu', 'Mcp-Param-N': '12345678901234567890', 'Mcp-Param-Deep': 'true',
  })
  expect(mirrored(schema, parse('{"n":null}'))).toEqual({})
})

test('a reply is told from what comes before it', () => {
  expect(client.answer('{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890}}')).toMatchObject({ kind: 'result' })
  expect(client.answer('{"id":1,"error":{"code":-32602,"message":"no","data":{"code":"X"}}}')).toMatchObject({
    kind: 'error', error: { code: -32602, message: 'no', data: { code: 'X' } },
  })
  expect(client.answer('{"method":"notifications/progress","params":{"progress":1}}')).toBeUndefined()
  expect(client.answer('<html>')).toBeUndefined()
  expect(client.notification('{"method":"notifications/progress","params":{"progress":1,"total":4,"message":"m"}}')).toEqual({
    kind: 'progress', progress: { progress: 1, total: 4, message: 'm' },
  })
  expect(client.notification('{"method":"notifications/message","params":{"level":"info","data":{"a":1}}}')).toEqual({
    kind: 'log', line: { level: 'info', text: '{"a":1}' },
  })
})

test('questions of a server are read and answered', () => {
  const reply = client.answer('{"id":1,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object"}}},"u":{"params":{"message":"Go","url":"https://e.x"}}},"requestState":"s"}}')
  if (reply === undefined) throw new Error('no reply')
  const asking = askingOf(reply)
  expect(asking?.questions).toMatchObject([{ key: 'q', message: 'Sure?', schema: { type: 'object' } }, { key: 'u', url: 'https://e.x' }])
  if (asking === undefined) throw new Error('no questions')
  expect(answersTo(asking, 'accept', { q: { yes: true } })).toEqual({
    inputResponses: { q: { action: 'accept', content: { yes: true } }, u: { action: 'accept' } }, requestState: 's',
  })
  expect(answersTo(asking, 'decline', { q: 1 })).toMatchObject({ inputResponses: { q: { action: 'decline' }, u: { action: 'decline' } } })
  expect(askingOf({ kind: 'result', result: { content: [] }, text: '' })).toBeUndefined()
})

test('a curl command survives the shell', () => {
  const args = parse('{"q":"it\'s $HOME","n":12345678901234567890}')
  const tool = { server: 's', name: 't', mcpName: 's__t', schema: {} }
  expect(curl('http://h/gw/', tool, args)).toBe(
    `curl -s 'http://h/gw/mcp/call' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"server":"s","toolName":"t","input":{"q":"it'\\''s $HOME","n":12345678901234567890}}'`,
  )
  expect(curl('http://h/', tool, {}, true)).toContain('-H "Authorization: Bearer $LOCKGATE_KEY"')
})

test.each([
  ['dots.in', '{}'],
  ['sl/ash', '{}'],
  ['名前 ツール', '{}'],
  ['x'.repeat(101), '{}'],
  ['plain', '{"a":[{"__proto__":1}]}'],
  ['plain', '{"constructor":1}'],
  ['plain', `${'{"a":'.repeat(10)}[]${'}'.repeat(10)}`],
  ['plain', `{"a":"${'é'.repeat(51_197)}"}`],
])('what REST refuses is called over MCP (%#)', (name, args) => {
  const tool = { server: 's', name, mcpName: `s__${name}`, schema: { properties: { constructor: { 'x-mcp-header': 'C' } } } as unknown as Json }
  const command = curl('http://h/gw/', tool, parse(args), true)
  expect(command).toContain("curl -s 'http://h/gw/mcp' ")
  expect(command).toContain(`-H 'Mcp-Name: ${headerText(tool.mcpName)}'`)
  expect(command).toContain(`"params":{"name":${JSON.stringify(tool.mcpName)},"arguments":${args},"_meta":{`)
  expect(command.includes("-H 'Mcp-Param-C: 1'")).toBe(args.startsWith('{"constructor"'))
  expect(curl('http://h/gw/', { ...tool, name: 'x'.repeat(100) }, {})).toContain('/mcp/call')
})

test('what REST just takes is called over REST, and what no argument holds is on standard input', () => {
  const tool = { server: 's', name: 't', mcpName: 's__t', schema: {} }
  const deep = `${'{"a":'.repeat(9)}[]${'}'.repeat(9)}`
  expect(curl('http://h/', tool, parse(deep))).toContain('/mcp/call')
  const most = `{"a":"${'é'.repeat(51_196)}"}`
  expect(curl('http://h/', tool, parse(most))).toContain(`/mcp/call' \\\n  -H 'Content-Type: application/json' \\\n  -d @- <<'LOCKGATE'\n{"server":"s","toolName":"t","input":${most}}\nLOCKGATE`)
})

test('time is split as the log of requests tells it', () => {
  const hooks = [{ hook: 'g', version: 2, phase: 'pre', verdict: 'continue', durationUs: 1500 }]
  const logged = (serverUs: number | null, hooksUs: number) =>
    ({ id: 1, at: 0, way: 'http', client: 'c', method: 'tools/call', outcome: 'ok', durationUs: 25_000, serverUs, hooksUs, hooks }) as never
  expect(split.splitOf(logged(20_000, 3000), 30)).toEqual({ total: 30, server: 20, hooks: 3, ran: [{ hook: 'g', phase: 'pre', verdict: 'continue', ms: 1.5 }] })
  expect(split.splitOf(logged(null, 3000), 30)).toMatchObject({ server: 0, hooks: 3 })
  expect(split.splitOf(logged(40_000, 3000), 30)).toMatchObject({ server: 30, hooks: 0 })
  expect(split.splitOf(undefined, 30)).toEqual({ total: 30, ran: [], unknown: true })
})

test('every call names a trace of its own', () => {
  const [one, other] = [split.newTrace(), split.newTrace()]
  expect(one).toMatch(/^[0-9a-f]{32}$/)
  expect(one).not.toBe(other)
  expect(split.traceparent(one)).toMatch(new RegExp(`^00-${one}-[0-9a-f]{16}-01$`))
})

test('a history is bounded and outlives nonsense in the store', () => {
  const entry = (id: number, size: number): Entry => ({
    id: String(id), at: id, server: 's', tool: 't', args: 'x'.repeat(size), ok: true, ms: 1, reply: 'y'.repeat(size),
  })
  let list: Entry[] = []
  for (let id = 0; id < 80; id += 1) list = remember(list, entry(id, 10))
  expect([list.length, list[0]?.id]).toEqual([50, '79'])
  expect(remember([], entry(1, 30_000))[0]).not.toHaveProperty('reply')
  expect(remember([], entry(1, 200_000))).toEqual([])
  for (let id = 100; id < 150; id += 1) list = remember(list, entry(id, 19_000))
  expect(list.length).toBe(15)
  expect(readHistory(JSON.stringify(list))).toEqual(list)
  expect(readHistory('{"a":1}')).toEqual([])
  expect(readHistory('[1,{"id":2},null]')).toEqual([])
  expect(readHistory('no')).toEqual([])
})

test('a refusal of the MCP endpoint is shown as what it is', async () => {
  const text = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"A key is needed"}}'
  vi.stubGlobal('fetch', async () => new Response(text, { status: 401, headers: { 'content-type': 'application/json' } }))
  const heard = { onProgress: () => {}, onLog: () => {} }
  const reply = await client.callTool({ name: 'a', schema: {} }, {}, { signal: new AbortController().signal, ...heard })
  expect(reply).toMatchObject({ kind: 'error', error: { message: 'A key is needed' } })
})

test.each([['en', 'The connection ended before the reply'], ['ja', '応答を受け取る前に接続が切れました。']])('in %s a stream that breaks off is told as %s', async (lang, message) => {
  vi.stubGlobal('document', { baseURI: 'http://gateway/gw/', documentElement: { lang } })
  vi.stubGlobal('fetch', async () => new Response(': hello\n\n', { headers: { 'content-type': 'text/event-stream' } }))
  const heard = { onProgress: () => {}, onLog: () => {} }
  const reply = await client.callTool({ name: 'a', schema: {} }, {}, { signal: new AbortController().signal, ...heard })
  expect(reply).toMatchObject({ kind: 'error', error: { message } })
})
