import { expect, test } from 'vitest'
import { makeBundle, recognise, withHookIds, withoutMasks } from './bundle'

const hook = { id: 'h-1', name: 'a', hookType: 'pre' as const, script: 'return {}', stats: { executions: 4 } }
const activity = { name: 'note', run: { script: 'return {}' } as never, usedBy: ['w'], revision: 2, createdAt: 1, updatedAt: 2 }

test('a bundle holds definitions and is recognised again', () => {
  const bundle = makeBundle([hook], [{ ...activity, source: 'api' }, { ...activity, name: 'of-the-file', source: 'config' }], [])
  expect(bundle.hooks[0]).not.toHaveProperty('stats')
  expect(bundle.activities).toEqual([{ name: 'note', run: { script: 'return {}' } }])
  expect(recognise(JSON.stringify(bundle))).toMatchObject({ kind: 'bundle', bundle: { hooks: [{ id: 'h-1', name: 'a' }] } })
})

test.each([
  ['{"mcpServers": {}}', 'servers'],
  ['// VS Code\n{"servers": {}}', 'servers'],
  ['model = "m"\n[mcp_servers.a]\n', 'servers'],
  ['{"format": "other"}', 'unknown'],
  ['{"format": "lockgate"}', 'unknown'],
  ['null', 'unknown'],
  ['no json', 'unknown'],
  // One without activities, as they were made before, and one whose parts have names of a client's file.
  ['{"format": "lockgate", "version": 1, "hooks": [], "workflows": []}', 'bundle'],
  ['{"format": "lockgate", "version": 1, "hooks": [], "workflows": [{"name": "w", "nodes": [{"data": {"servers": ["a"]}}]}]}', 'bundle'],
  ['{"format": "lockgate", "version": 1, "hooks": [{"name": "h", "script": "\\n[mcp_servers"}], "workflows": []}', 'bundle'],
  ['{"format": "lockgate", "version": 1, "hooks": [7], "workflows": []}', 'unknown'],
])('%j is recognised as %s', (text, kind) => {
  expect(recognise(text).kind).toBe(kind)
})

test('nodes name hooks by their new ids; what is not known stays', () => {
  const node = (id: string, hook?: object) => ({ id, data: { label: id, ...(hook && { hook }) } })
  const workflow = { name: 'w', workflowType: 'tools/call' as const, nodes: [node('start'), node('h', { id: 'h', hookModuleId: 'old' }), node('o', { hookModuleId: 'other' })] as never }
  expect(withHookIds(workflow, new Map([['old', 'new']])).nodes).toEqual([node('start'), node('h', { id: 'h', hookModuleId: 'new' }), node('o', { hookModuleId: 'other' })])
})

test('a masked header is no value, and is told', () => {
  const run = { http: { url: 'https://a', headers: { Authorization: '***', Accept: 'text/plain' } } } as never
  const without = { name: 'get', publish: false, run: { http: { url: 'https://a', headers: { Accept: 'text/plain' } } } }
  expect(withoutMasks({ name: 'get', publish: true, run })).toEqual({ activity: without, left: ['Authorization'] })
})

test.each([{ name: 'a' }, { name: 'a', run: null }, { name: 'a', run: { http: 1 } }, { name: 'a', run: { http: { headers: 'x' } } }])('%j goes to the gateway as it is', (activity) => {
  expect(withoutMasks(activity as never)).toEqual({ activity, left: [] })
})

test.each([{ name: 'w', nodes: {} }, { name: 'w', nodes: 'x' }, { name: 'w' }])('%j goes to the gateway as it is', (workflow) => {
  expect(withHookIds(workflow as never, new Map([['a', 'b']]))).toEqual(workflow)
})
