import { expect, test, vi } from 'vitest'
import { advanced, begun, type Progress, type Run } from '../lib/run'

vi.stubGlobal('document', { baseURI: 'http://gateway/' })
const { followed } = await import('./runs')

const node = (state: string) => ({ state, startedAt: 10, completedAt: null, durationMs: null, result: null, error: null })
const run = (id: string, executedAt: number, more: object = {}): Run =>
  ({ id, workflowId: 'w', workflowName: 'W', status: 'running', executedAt, durationMs: 1, version: 1, context: { toolName: 't' }, mcpResult: null, error: null, results: { s: node('completed'), c: node('skipped') }, ...more }) as Run
const told = (id: string, executedAt: number): Progress => ({
  id, workflowId: 'w', workflowName: 'W', executedAt, version: 1, results: { c: { state: 'running', startedAt: 12 } },
})

test('a run comes further by what is told, and keeps what is known', () => {
  const next = advanced(run('a', 5), told('a', 5))
  expect(next.results['c']).toMatchObject({ state: 'running', startedAt: 12, result: null })
  expect(next.results['s']).toMatchObject({ state: 'completed' })
  expect(next.context).toEqual({ toolName: 't' })
})

test('what is told late does not bring back a run that has ended', () => {
  const ended = run('a', 5, { status: 'completed' })
  expect(advanced(ended, told('a', 5))).toBe(ended)
})

test('a run that a list does not have yet is its newest, unless it is older than all of it', () => {
  const known = [run('b', 6)]
  expect((followed(known, told('c', 7)) as Run[]).map(({ id }) => id)).toEqual(['c', 'b'])
  expect(followed(known, told('a', 5))).toBe(known)
  expect((followed([], told('c', 7)) as Run[])[0]).toMatchObject({ ...begun(told('c', 7)), status: 'running' })
})

test('pages have each run once', () => {
  const pages = { pages: [[run('c', 7)], [run('b', 6)]], pageParams: [0, 1] }
  expect(followed(pages, told('b', 6))).toBe(pages)
  expect(followed(pages, told('d', 8))).toMatchObject({ pages: [[{ id: 'd' }, { id: 'c' }], [{ id: 'b' }]] })
})
