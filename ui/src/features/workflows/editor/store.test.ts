import { beforeEach, expect, test } from 'vitest'
import type { WorkflowView } from '../../../shared/api/types'
import { type Run, wayOf } from '../../../shared/lib/run'
import { blankGraph, placeNode } from './edits'
import { addEdge, nodeOf } from './graph'
import { marksOf } from './run-store'
import { editor, isDirty } from './store'

const graph = addEdge(addEdge(blankGraph('tools/call'), 'start', 'mcp-call'), 'mcp-call', 'end')
const view = { id: 'w', name: 'W', workflowType: 'tools/call', enabled: false, revision: 3, ...graph } as unknown as WorkflowView
const now = () => editor.getState()
const stamp = { type: 'hook', data: { label: 'H', hook: { script: '', blocking: true } } }

beforeEach(() => now().load(view, []))

test('what was undone back to the saved state is not dirty', () => {
  now().edit((doc) => ({ ...doc, name: 'X' }))
  expect(isDirty(now())).toBe(true)
  now().undo()
  expect(isDirty(now())).toBe(false)
  now().redo()
  expect(now().doc.name).toBe('X')
})

test('typing in one field is one step of undo', () => {
  for (const name of ['A', 'AB', 'ABC']) now().edit((doc) => ({ ...doc, name }), 'name')
  now().undo()
  expect(now().doc.name).toBe('W')
})

test('a drag changes the document once, and is one step of undo', () => {
  const from = nodeOf(now().doc.graph, 'end')?.position
  now().begin()
  for (const x of [1, 2, 3]) now().drag(new Map([['end', { x, y: 0 }]]))
  expect(nodeOf(now().doc.graph, 'end')?.position).toEqual(from)
  now().commit()
  expect(nodeOf(now().doc.graph, 'end')?.position.x).toBe(3)
  now().undo()
  expect(nodeOf(now().doc.graph, 'end')?.position).toEqual(from)
})

test('nodes moved by key are one step of undo', () => {
  const from = nodeOf(now().doc.graph, 'end')?.position
  for (const x of [1, 2, 3]) now().drag(new Map([['end', { x, y: 0 }]]))
  expect(nodeOf(now().doc.graph, 'end')?.position.x).toBe(3)
  now().undo()
  expect(nodeOf(now().doc.graph, 'end')?.position).toEqual(from)
})

test('a click that moves nothing leaves no step of undo', () => {
  now().begin()
  now().commit()
  expect(now().history.past).toHaveLength(0)
})

test('a refused connection changes nothing and keeps its reason', () => {
  const id = now().add((graph) => placeNode(graph, stamp, { x: 0, y: 0 }))
  expect(now().connect({ source: id, target: 'end' })).toBe(false)
  expect(now().refusal?.rule).toBe('one-input')
  expect(now().doc.graph.edges).toHaveLength(2)
})

test('what has to be there cannot be removed, and that leaves no step of undo', () => {
  now().select(new Set(['start', 'end']))
  now().remove()
  expect(now().doc.graph.nodes).toHaveLength(3)
  expect(now().history.past).toHaveLength(0)
})

test('a duplicate is selected and has an id of its own', () => {
  const id = now().add((graph) => placeNode(graph, stamp, { x: 0, y: 0 }))
  now().duplicate()
  expect(now().doc.graph.nodes).toHaveLength(5)
  expect(now().nodes.has(id)).toBe(false)
})

test('undo forgets what is selected and gone', () => {
  now().add((graph) => placeNode(graph, stamp, { x: 0, y: 0 }))
  expect(now().nodes.size).toBe(1)
  now().undo()
  expect(now().nodes.size).toBe(0)
})

const node = (state: string, micros: number, result: unknown = null) => ({ state, micros, result, error: null })

test('the way taken follows the branch that was chosen', () => {
  const results = { q: node('completed', 5, { value: false }), a: node('skipped', 0), c: node('completed', 90) }
  const run = { results } as unknown as Run
  const edges = [
    { id: '1', source: 'q', target: 'a', sourceHandle: 'true' },
    { id: '2', source: 'q', target: 'c', sourceHandle: 'false' },
    { id: '3', source: 'a', target: 'c' },
  ]
  expect([...wayOf(run, { nodes: [], edges })]).toEqual(['2'])
  expect(marksOf(run, [run, run]).get('c')).toEqual({ state: 'completed', time: 0.09, count: 2, slowest: true })
  expect(marksOf(run, [run]).get('a')).toEqual({ state: 'skipped', count: 0, slowest: false })
})
