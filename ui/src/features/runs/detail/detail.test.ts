import { expect, test } from 'vitest'
import { readGraph } from '../../../shared/lib/graph'
import type { Run } from '../../../shared/lib/run'
import { differenceOf } from './difference'
import { aheadOf, barsOf, journeyOf } from './journey'

const node = (state: string, startedAt: number | null, micros: number, more: object = {}) => ({
  state, startedAt, completedAt: startedAt, durationMs: micros / 1000, micros, result: null, error: null, ...more,
})

const run = {
  executedAt: 1000,
  durationMs: 10,
  context: { request: { params: { a: 1 } } },
  mcpResult: { text: 'hello' },
  results: {
    s: node('completed', 1000, 0),
    h: node('completed', 1000, 2000, { changes: { params: { a: 2 } } }),
    c: node('completed', 1002, 5000),
    p: node('completed', 1007, 3000, { changes: { response: { text: 'HELLO' } } }),
    n: node('skipped', null, 0),
    f: node('completed', 1002, 9000),
  },
} as unknown as Run
const graph = readGraph([{ id: 'c', type: 'mcp-call' }], [])

test('each node gets what those before it left', () => {
  const journey = new Map(journeyOf(run, graph).map((passage) => [passage.id, passage]))
  expect([...journey.keys()]).toEqual(['s', 'h', 'c', 'f', 'p', 'n'])
  expect(journey.get('h')?.params).toEqual([{ a: 1 }, { a: 2 }])
  expect(journey.get('c')?.params).toEqual([{ a: 2 }, { a: 2 }])
  expect(journey.get('c')?.response).toEqual([undefined, { text: 'hello' }])
  expect(journey.get('p')?.response).toEqual([{ text: 'hello' }, { text: 'HELLO' }])
})

test('bars share the time of the whole run, late ones included', () => {
  const bars = barsOf(run)
  expect(bars.get('c')).toEqual({ left: 2 / 11, width: 5 / 11 })
  expect(bars.get('f')).toEqual({ left: 2 / 11, width: 9 / 11 })
  expect(bars.has('n')).toBe(false)
})

test('bars that begin within one millisecond stand one after the other', () => {
  const close = { ...run, durationMs: 2, results: { a: node('completed', 1000, 700, { startedMicros: 100 }), b: node('completed', 1000, 500, { startedMicros: 800 }) } } as unknown as Run
  const [a, b] = [barsOf(close).get('a'), barsOf(close).get('b')]
  expect([a, b]).toEqual([{ left: 0.05, width: 0.35 }, { left: 0.4, width: 0.25 }])
})

test('a run may still come to what is after the node that runs, and not to the way that was not taken', () => {
  const forked = readGraph(
    ['s', 'q', 'yes', 'no', 'c', 'e'].map((id) => ({ id, type: 'hook' })),
    [['s', 'q'], ['q', 'yes'], ['q', 'no'], ['yes', 'c'], ['no', 'c'], ['c', 'e']].map(([source, target]) => ({ source, target })),
  )
  const at = (status: string, running: string[]) => ({ status, results: Object.fromEntries(forked.nodes.map(({ id }) => [id, node(running.includes(id) ? 'running' : 'skipped', 0, 0)])) }) as unknown as Run
  expect([...aheadOf(at('running', ['yes']), forked)]).toEqual(['c', 'e'])
  expect(aheadOf(at('running', []), forked).size).toBe(6)
  expect(aheadOf(at('completed', []), forked).size).toBe(0)
})

test('a difference has the lines that went and came', () => {
  const kinds = differenceOf({ a: 1, b: 2 }, { a: 1, b: 3, c: 4 })?.map((line) => line.kind)
  expect(kinds).toEqual(['same', 'same', 'removed', 'added', 'added', 'same'])
})

test('what is far from any change is left out, and equal values have no difference', () => {
  const list = Array.from({ length: 100 }, (_, index) => index)
  const lines = differenceOf(list, [...list, 'new']) ?? []
  expect(lines[0]).toEqual({ kind: 'gap', count: 97 })
  expect(differenceOf({ a: 1 }, { a: 1 })).toEqual([])
})

test('values that are too large are not compared', () => {
  expect(differenceOf([], Array.from({ length: 5000 }, () => 1))).toBeUndefined()
})
