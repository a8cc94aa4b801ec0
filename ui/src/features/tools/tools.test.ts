import { beforeAll, expect, test, vi } from 'vitest'
import { fromPlain, type Json } from '../../shared/lib/json'

type Tools = typeof import('./tools')
let tools: Tools

beforeAll(async () => {
  vi.stubGlobal('document', { baseURI: 'http://gateway/' })
  tools = await import('./tools')
})

const list = (...entries: unknown[]) => entries.map(fromPlain)
const listed = (server: string, name: string, description = '') => ({ server, name, description, inputSchema: {}, outputSchema: null, timeout: 1 })

test('tools get the name and the annotations that they have on the MCP endpoint', () => {
  const rest = list(listed('a', 'echo'), listed('b', 'echo'), listed('b', 'only', 'Does it'))
  const mcp: Json[] = list(
    { name: 'a__echo', annotations: { readOnlyHint: true, title: 'Echo' } },
    { name: 'b__echo', outputSchema: { type: 'object' } },
    { name: 'only', title: 'The only one', annotations: { destructiveHint: true, openWorldHint: false } },
  )
  const joined = tools.joinTools(rest, mcp)
  expect(joined.map((one) => one.mcpName)).toEqual(['a__echo', 'b__echo', 'only'])
  expect(joined.map((one) => one.key)).toEqual(['a/echo', 'b/echo', 'b/only'])
  expect(joined[0]).toMatchObject({ title: 'Echo', annotations: { readOnly: true } })
  expect(joined[1]).toMatchObject({ output: { type: 'object' } })
  expect(joined[2]).toMatchObject({ title: 'The only one', annotations: { destructive: true, openWorld: false } })
  expect(joined[0]).not.toHaveProperty('output')
})

test('a tool that MCP does not list is called by its long name', () => {
  expect(tools.joinTools(list(listed('a', 'x')), [])[0]?.mcpName).toBe('a__x')
})

test('a name that was cut is found by its place', () => {
  const name = 'x'.repeat(80)
  const joined = tools.joinTools(list(listed('a', name, 'long')), list({ name: 'xxx_12345678', description: 'long', title: 'T' }))
  expect(joined[0]).toMatchObject({ mcpName: 'xxx_12345678', title: 'T' })
})

test('a search finds words in any order and place', () => {
  const all = tools.joinTools(list(listed('git', 'log', 'Shows commits'), listed('fs', 'read', 'Reads files')), [])
  const found = (query: string) => tools.searchTools(all, query).map((one) => one.name)
  expect(found('')).toEqual(['log', 'read'])
  expect(found('SHOW git')).toEqual(['log'])
  expect(found('git files')).toEqual([])
})
