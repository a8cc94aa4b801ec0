import { expect, test } from 'vitest'
import type { Graph } from './graph'
import { type NodeRun, type Run, troubleOf } from './run'

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
