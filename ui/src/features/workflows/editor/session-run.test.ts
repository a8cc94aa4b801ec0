import { expect, test } from 'vitest'
import { wayOf } from '../../../shared/lib/run'
import { readGraph } from './graph'
import { runOfSession, type Session } from './session-run'

const node = (id: string, type: string) => ({ id, type, position: { x: 0, y: 0 }, data: { label: id } })
const graph = readGraph(
  [node('e', 'end'), node('b', 'activity'), node('s', 'start'), node('a', 'activity'), node('c', 'activity')],
  [{ source: 's', target: 'a' }, { source: 'a', target: 'b' }, { source: 'b', target: 'c' }, { source: 'c', target: 'e' }],
)
const step = (stepIndex: number, success = true, more: object = {}) =>
  ({ stepIndex, activityName: 'x', success, startedAt: 10 * stepIndex, completedAt: 10 * stepIndex + 4, toolName: 't', ...(success ? {} : { error: 'no' }), ...more }) as unknown as Session['history'][number]
const session = (more: Partial<Session>): Session => ({ sessionId: 'x', workflowName: 'w', status: 'running', totalSteps: 3, startedAt: 0, history: [], ...more })
const states = (one: Session) => Object.fromEntries(Object.entries(runOfSession(one, graph, 'w').results).map(([id, { state }]) => [id, state]))

test('the activities along the line are the steps, whatever their order in the document', () => {
  const running = { stepIndex: 1, activityName: 'x', since: 9 } as unknown as NonNullable<Session['running']>
  expect(states(session({ history: [step(0)], running }))).toEqual({ s: 'completed', a: 'completed', b: 'running', c: 'skipped' })
  const done = session({ status: 'completed', completedAt: 40, history: [step(0), step(2)] })
  expect(states(done)).toEqual({ s: 'completed', a: 'completed', b: 'skipped', c: 'completed', e: 'completed' })
  const run = runOfSession(done, graph, 'w')
  expect([run.status, run.durationMs, run.results['c']?.durationMs]).toEqual(['completed', 40, 4])
  expect(wayOf(run, graph).size).toBe(2)
})

test('a step that failed says why, one that waits is lit, and what undid a step does not count', () => {
  const failed = runOfSession(session({ status: 'failed', history: [step(0), step(1, false), step(0, true, { compensation: true })] }), graph, 'w')
  expect([failed.status, failed.results['b']?.state, failed.results['b']?.error, failed.results['a']?.state]).toEqual(['error', 'error', 'no', 'completed'])
  const waiting = { for: 'approval', stepIndex: 1 } as unknown as NonNullable<Session['waiting']>
  expect(states(session({ history: [step(0)], waiting }))).toMatchObject({ b: 'running' })
})

test('a session of a workflow with other steps lights no node', () => {
  expect(states(session({ totalSteps: 2, history: [step(0)] }))).toEqual({})
})
