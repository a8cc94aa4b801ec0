import { expect, test } from 'vitest'
import type { Run } from '../../../shared/lib/run'
import { matches, readFilters, unique } from './filters'

const run = (id: string, status: string, toolName: string) =>
  ({ id, status, workflowId: 'w', context: { toolName, serverName: 's' } }) as unknown as Run

test('filters of an address are read, and nonsense is left out', () => {
  expect(readFilters({ status: 'error', workflow: 'w', tool: 12 })).toEqual({ status: 'error', workflow: 'w', tool: '12' })
  expect(readFilters({ status: 'broken', tool: '' })).toEqual({})
})

test('a run is shown when it matches every filter', () => {
  const one = run('1', 'error', 'read_File')
  expect(matches(one, {})).toBe(true)
  expect(matches(one, { status: 'error', workflow: 'w', tool: 'file' })).toBe(true)
  expect(matches(one, { status: 'completed' })).toBe(false)
  expect(matches(one, { workflow: 'v' })).toBe(false)
  expect(matches(one, { tool: 'write' })).toBe(false)
})

test('a run that came in twice is there once', () => {
  const [a, b, c] = [run('a', 'error', ''), run('b', 'error', ''), run('c', 'error', '')]
  expect(unique([[a, b], [b, c]]).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
})
