import { expect, test } from 'vitest'
import { KEY, snippets } from './snippets'

const base = new URL('https://example.com/gw/')

test('every client is given the endpoint below the sub-path', () => {
  const all = snippets(base, undefined)
  expect(all.map(({ id }) => id)).toEqual(['claude-code', 'claude-desktop', 'cursor', 'vscode', 'curl'])
  for (const { text } of all) expect(text).toContain('https://example.com/gw/mcp')
})

test('the curl call names a real tool and survives quotes', () => {
  const inputSchema = { type: 'object', properties: { say: { const: "it's" } }, required: ['say'] }
  const tool = { server: 's', name: 't', description: '', inputSchema, outputSchema: null, timeout: 1 }
  const text = snippets(base, tool).at(-1)?.text ?? ''
  expect(text).toContain('/gw/mcp/call')
  expect(text).toContain(String.raw`{"say":"it'\''s"}`)
})

test('where a key is needed every snippet says where it goes, and none of the arguments of a program has blanks', () => {
  for (const { id, text } of snippets(new URL('http://gw:3001/'), undefined, true)) {
    expect(text, id).toContain(id === 'vscode' ? '${input:lockgate-key}' : KEY)
    expect(text, id).toContain('Authorization')
  }
  const desktop = snippets(new URL('http://gw:3001/'), undefined, true).find(({ id }) => id === 'claude-desktop')
  const { args, env } = (JSON.parse(desktop?.text ?? '') as { mcpServers: { lockgate: { args: string[]; env: object } } }).mcpServers.lockgate
  expect(args.filter((one) => one.includes(' '))).toEqual([])
  expect(env).toEqual({ LOCKGATE_AUTH: `Bearer ${KEY}` })
  expect(snippets(new URL('http://gw:3001/'), undefined).map(({ text }) => text).join()).not.toContain('Authorization')
})
