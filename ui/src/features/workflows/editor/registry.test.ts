import { expect, test, vi } from 'vitest'
import type { NodeType, WorkflowType } from './rules'

// The forms of the nodes ask the page for its address.
vi.stubGlobal('document', { baseURI: 'http://gateway/' })
const { offersFor } = await import('./registry')

const stamp: NodeType = { name: 'stamp', label: 'Stamp', description: '', inputs: 1, outputs: 1, schema: {}, plugin: true }
const offers = (type: WorkflowType) => offersFor([stamp], type)

test('sessions are offered activities and conditions, and nothing that only requests have', () => {
  expect(offers('session').map(({ key }) => key)).toEqual(['start', 'condition', 'activity', 'end'])
  expect(offers('tools/call').map(({ key }) => key)).toEqual(['start', 'hook', 'aside', 'condition', 'variable', 'mcp-call', 'end', 'stamp'])
})

test('a new condition reads what there is where it stands', () => {
  const expression = (type: WorkflowType) => offers(type).find(({ key }) => key === 'condition')?.data['expression']
  expect(expression('session')).toBe('memory.score > 10')
  expect(expression('tools/list')).toMatch(/^context\./)
})
