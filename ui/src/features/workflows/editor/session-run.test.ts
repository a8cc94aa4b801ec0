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

/** Start, a condition with a step on each way, one more, end. */
const parted = readGraph(
  [...['a', 'b', 'm'].map((id) => node(id, 'activity')), node('s', 'start'), node('q', 'condition'), node('e', 'end')],
  [
    { id: 'sq', source: 's', target: 'q' }, { id: 'yes', source: 'q', target: 'a', sourceHandle: 'true' }, { id: 'no', source: 'q', target: 'b', sourceHandle: 'false' },
    { id: 'am', source: 'a', target: 'm' }, { id: 'bm', source: 'b', target: 'm' }, { id: 'me', source: 'm', target: 'e' },
  ],
)
const shown = (more: Partial<Session>) => {
  const run = runOfSession(session(more), parted, 'w')
  return { states: Object.fromEntries(Object.entries(run.results).map(([id, { state }]) => [id, state])), way: [...wayOf(run, parted)], run }
}

test('a condition is done with the way that was taken, and what stands on the other is skipped', () => {
  const decisions = [{ nodeId: 'q', way: false, timestamp: 7 }]
  const one = shown({ status: 'completed', history: [step(1), step(2)], decisions })
  expect(one.states).toEqual({ s: 'completed', q: 'completed', a: 'skipped', b: 'completed', m: 'completed', e: 'completed' })
  expect(one.way).toEqual(['sq', 'no', 'bm', 'me'])
  expect(one.run.results['q']).toMatchObject({ result: { value: false }, startedAt: 7, error: null })
})

test('a condition that fails says why, and ends the way or leads on for false', () => {
  const failed = shown({ status: 'failed', decisions: [{ nodeId: 'q', error: 'x is not defined', timestamp: 7 }] })
  expect([failed.states, failed.way]).toEqual([{ s: 'completed', q: 'error', a: 'skipped', b: 'skipped', m: 'skipped' }, ['sq']])
  expect(failed.run.results['q']).toMatchObject({ result: null, error: 'x is not defined' })
  const on = shown({ history: [step(1)], decisions: [{ nodeId: 'q', way: false, error: 'x is not defined', timestamp: 7 }] })
  expect([on.states['q'], on.way]).toEqual(['error', ['sq', 'no']])
})

test('a condition that is not judged yet, or is no more, lights nothing', () => {
  expect(shown({}).states['q']).toBeUndefined()
  expect(shown({ decisions: [{ nodeId: 'gone', way: true, timestamp: 7 }] }).states['gone']).toBeUndefined()
})

test('a session of a workflow with other steps lights no node', () => {
  expect(states(session({ totalSteps: 2, history: [step(0)] }))).toEqual({})
})
