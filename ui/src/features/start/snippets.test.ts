import { expect, test } from 'vitest'
import { snippets } from './snippets'

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
