import { expect, test } from 'vitest'
import type { Graph } from './graph'
import { type NodeRun, type Run, troubleOf, wayOf } from './run'

const hook = (id: string, blocking = true) => ({ id, type: 'hook', position: { x: 0, y: 0 }, data: { label: id, hook: { blocking } } })
const graph: Graph = { nodes: [hook('a'), hook('b'), hook('aside', false)], edges: [] }

const node = (state: NodeRun['state'], startedMicros: number, result: unknown = null): NodeRun => ({ state, startedAt: 0, startedMicros, completedAt: 0, durationMs: 0, result, error: null })
const run = (status: Run['status'], results: Run['results']): Run => ({
  id: 'r', workflowId: 'w', workflowName: 'W', version: 1, executedAt: 0, durationMs: 0, context: {}, mcpResult: null, error: null, status, results,
})

test('the node that blocked the request kept the run from its end, not one that failed before', () => {
  expect(troubleOf(run('completed', { a: node('error', 1), b: node('completed', 2, { verdict: 'blocked' }) }), graph)).toBe('b')
})

test('of a run that came to its end no node kept it from there', () => {
  expect(troubleOf(run('completed', { a: node('error', 1), b: node('completed', 2), aside: node('error', 3) }), graph)).toBeUndefined()
})

test('a run that failed did so at the node that failed last, and not at one that nobody waits for', () => {
  expect(troubleOf(run('error', { a: node('error', 1), b: node('error', 2), aside: node('error', 3) }), graph)).toBe('b')
  expect(troubleOf(run('error', { a: node('error', 2), b: node('error', 1) }), graph)).toBe('a')
  expect(troubleOf(run('error', { a: node('error', 1), b: node('error', 1) }), graph)).toBe('b')
})

const choice = { id: 'q', type: 'condition', position: { x: 0, y: 0 }, data: {} }
const edge = (source: string, target: string, sourceHandle: string) => ({ id: `${source}-${sourceHandle}-${target}`, source, target, sourceHandle })
const forked: Graph = { nodes: [choice, hook('a'), hook('b')], edges: [edge('q', 'b', 'true'), edge('q', 'a', 'false'), edge('a', 'b', 'out')] }

test.each([
  ['true', node('completed', 0, { value: true }), 'skipped', ['q-true-b']],
  ['false', node('completed', 0, { value: false }), 'completed', ['q-false-a', 'a-out-b']],
  ['false, since it failed and was passed over', node('error', 0), 'completed', ['q-false-a', 'a-out-b']],
] as const)('of the ways that meet again the one taken is lit: %s', (_, q, a, lit) => {
  expect([...wayOf(run('completed', { q, a: node(a, 1), b: node('completed', 2) }), forked)]).toEqual(lit)
})

test('the name of an output that is not of a condition rules nothing out, whatever its node left', () => {
  const results = { a: node('completed', 1, { value: 7 }), b: node('completed', 2) }
  expect([...wayOf(run('completed', results), forked)]).toEqual(['a-out-b'])
})
