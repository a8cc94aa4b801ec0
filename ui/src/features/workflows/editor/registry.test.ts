import { expect, test, vi } from 'vitest'
import { isAside, type NodeData } from '../../../shared/lib/graph'
import { Draft, NumberText } from '../../../shared/lib/json'
import { isRecord } from '../../../shared/lib/values'
import type { NodeType, WorkflowType } from './rules'

// The forms of the nodes ask the page for its address.
vi.stubGlobal('document', { baseURI: 'http://gateway/' })
const { kindOf, offersFor } = await import('./registry')
const { words } = await import('./nodes/words')

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

const ODD = [null, 5, true, 'text', [], {}, [null], [5, 'a'], { a: null }, new Draft('[1,'), new NumberText('1e400')]

/** The data with each of its parts, in turn, replaced by something that does not belong there. */
function odd(data: unknown): unknown[] {
  const parts = isRecord(data) || Array.isArray(data) ? Object.entries(data) : []
  const changed = parts.flatMap(([key, part]) => odd(part).map((other) => (Array.isArray(data) ? data.with(Number(key), other) : { ...(data as object), [key]: other })))
  return [...ODD, ...changed]
}

test('whatever stands in a node, its card says something', () => {
  const more = { hook: { hookModuleId: 'm' }, step: { parallel: [{ activity: 'a' }], condition: 'x' }, set: [{ name: 'a', expression: 'x' }] }
  const all = [...offers('tools/call'), ...offers('session')].flatMap(({ type, data }) => odd({ ...data, ...more }).map((one) => [type, one] as const))
  expect(all.length).toBeGreaterThan(500)
  for (const [type, data] of all) {
    const node = { id: 'x', type, position: { x: 0, y: 0 }, data: (isRecord(data) ? data : {}) as NodeData }
    expect(typeof kindOf(node, [stamp]).detail(node, words.en), JSON.stringify([type, data])).toBe('string')
    expect(isAside(node)).toBeTypeOf('boolean')
  }
})
