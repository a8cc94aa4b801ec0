import { expect, test } from 'vitest'
import { freshHooks, makeBundle, recognise } from './bundle'

const hook = { name: 'a', hookType: 'pre' as const, script: 'return {}', stats: { executions: 4 } }

test('a bundle holds definitions and is recognised again', () => {
  const bundle = makeBundle([hook], [])
  expect(bundle.hooks[0]).not.toHaveProperty('stats')
  expect(recognise(JSON.stringify(bundle))).toMatchObject({ kind: 'bundle', bundle: { hooks: [{ name: 'a' }] } })
})

test.each([
  ['{"mcpServers": {}}', 'servers'],
  ['// VS Code\n{"servers": {}}', 'servers'],
  ['model = "m"\n[mcp_servers.a]\n', 'servers'],
  ['{"format": "other"}', 'unknown'],
  ['{"format": "lockgate"}', 'unknown'],
  ['null', 'unknown'],
  ['no json', 'unknown'],
])('%j is recognised as %s', (text, kind) => {
  expect(recognise(text).kind).toBe(kind)
})

test('a hook whose name is taken is left out', () => {
  expect(freshHooks([hook, { ...hook, name: 'b' }], ['a']).map(({ name }) => name)).toEqual(['b'])
})
