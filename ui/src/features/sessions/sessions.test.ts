import { expect, test } from 'vitest'
import { readGraph } from '../../shared/lib/graph'
import { barsOf, expectedStep, lineOf, offering, stepsOf, undecided } from './detail/steps'
import { progressOf, readFilters, unique } from './list/filters'
import { isInDoubt } from '../../shared/lib/session'
import { sayingOf } from './reply'
import type { Session, StepExecution } from './types'
import { words } from './words'

const entry = (stepIndex: number, startedAt: number, completedAt: number, more: Partial<StepExecution> = {}): StepExecution => ({
  stepIndex, activityName: `a${stepIndex}`, startedAt, completedAt, success: true, ...more,
})

const session = (more: Partial<Session>): Session => ({
  sessionId: 's', workflowName: 'calc', clientId: 'c', status: 'running', currentStep: 0, totalSteps: 4, memory: {}, startedAt: 0,
  history: [], branchHistory: [], ...more,
})

const states = (one: Session) => stepsOf(one, undefined).map(({ state }) => state)

test('steps that ran, were passed over, come next and come later are told apart', () => {
  expect(states(session({ history: [entry(0, 0, 1), entry(2, 2, 3)] }))).toEqual(['done', 'passed', 'done', 'next'])
  expect(states(session({}))).toEqual(['next', 'later', 'later', 'later'])
})

test('a step that somebody must allow is asked, and nothing comes next meanwhile', () => {
  const waiting = { for: 'approval', stepIndex: 1, activityName: 'pay', input: {}, digest: 'd', since: 0 } as const
  expect(states(session({ history: [entry(0, 0, 1)], waiting }))).toEqual(['done', 'asked', 'later', 'later'])
  expect(stepsOf(session({ history: [entry(0, 0, 1)], waiting }), undefined)[1]?.name).toBe('pay')
})

test('a step that runs is told apart from the next one, and nothing comes next meanwhile', () => {
  const one = session({ history: [entry(0, 0, 1)], running: { stepIndex: 2, since: 5 } })
  expect(states(one)).toEqual(['done', 'passed', 'running', 'later'])
  expect(stepsOf(one, undefined).map(({ since }) => since)).toEqual([undefined, undefined, 5, undefined])
})

test('a failed session shows what was undone and what was never reached', () => {
  const history = [entry(0, 0, 1), entry(1, 1, 2, { success: false }), entry(0, 3, 4, { compensation: true })]
  expect(states(session({ status: 'failed', history }))).toEqual(['undone', 'failed', 'never', 'never'])
})

test('a completed session passed over what has no entry', () => {
  expect(states(session({ status: 'completed', history: [entry(0, 0, 1)] }))).toEqual(['done', 'passed', 'passed', 'passed'])
})

test('a group of steps has the names of its members, and a definition of another length is left out', () => {
  const group = { id: 'g', type: 'activity', data: { step: { parallel: [{ activity: 'x' }, { activity: 'y' }] } } }
  const graph = readGraph([{ id: 's', type: 'start' }, group], [{ source: 's', target: 'g' }])
  expect(stepsOf(session({ totalSteps: 1 }), graph)[0]?.name).toBe('x + y')
  expect(stepsOf(session({ totalSteps: 2 }), graph)[0]?.name).toBe('1')
})

test('the steps of a graph are those along its line', () => {
  const activity = (id: string) => ({ id, type: 'activity', data: { step: { activity: id } } })
  const nodes = [activity('b'), { id: 's', type: 'start' }, { id: 'e', type: 'end' }, activity('a'), activity('aside')]
  const graph = readGraph(nodes, [{ source: 's', target: 'a' }, { source: 'a', target: 'b' }, { source: 'b', target: 'e' }])
  expect(lineOf(graph).map(({ activity }) => activity)).toEqual(['a', 'b'])
})

/** First, a condition, `yes` or `no`, and last. */
const parted = readGraph(
  [{ id: 's', type: 'start' }, { id: 'q', type: 'condition', data: { label: 'Large?' } }, { id: 'e', type: 'end' }, ...['first', 'yes', 'no', 'last'].map((id) => ({ id, type: 'activity', data: { step: { activity: id } } }))],
  [
    { source: 's', target: 'first' }, { source: 'first', target: 'q' },
    { source: 'q', target: 'no', sourceHandle: 'false' }, { source: 'q', target: 'yes', sourceHandle: 'true' },
    { source: 'yes', target: 'last' }, { source: 'no', target: 'last' }, { source: 'last', target: 'e' },
  ],
)
const chose = (way?: boolean): Session['decisions'] => [{ nodeId: 'q', timestamp: 5, ...(way === undefined ? { error: 'x is not defined' } : { way }) }]
const along = (more: Partial<Session>) => stepsOf(session(more), parted).map(({ name, state }) => `${name} ${state}`)

test('while a condition is not judged no step is next, and none is ruled out', () => {
  const one = { history: [entry(0, 0, 1)] }
  expect(along(one)).toEqual(['first done', 'yes later', 'no later', 'last later'])
  expect(undecided(session(one), parted)?.id).toBe('q')
  expect(undecided(session({ ...one, status: 'cancelled' }), parted)).toBeUndefined()
  expect(along({})).toEqual(['first next', 'yes later', 'no later', 'last later'])
})

test('steps on the way that was not taken are passed over as soon as that is known', () => {
  const one = { history: [entry(0, 0, 1), entry(1, 2, 3)], decisions: chose(true) }
  expect(along(one)).toEqual(['first done', 'yes done', 'no passed', 'last next'])
  expect(stepsOf(session(one), parted).map(({ off }) => off)).toEqual([false, false, true, false])
  expect(undecided(session(one), parted)).toBeUndefined()
  const waiting = { for: 'approval', stepIndex: 1, activityName: 'yes', input: {}, digest: 'd', since: 0 } as const
  expect(along({ history: [entry(0, 0, 1)], waiting, decisions: chose(true) })).toEqual(['first done', 'yes asked', 'no passed', 'last later'])
  expect(along({ history: [entry(0, 0, 1)], status: 'cancelled', decisions: chose(true) })).toEqual(['first done', 'yes never', 'no passed', 'last never'])
  expect(along({ history: [entry(0, 0, 1), entry(2, 2, 3)], decisions: chose(false) })).toEqual(['first done', 'yes passed', 'no done', 'last next'])
})

test('a session that failed at a condition took neither way', () => {
  expect(along({ history: [entry(0, 0, 1)], status: 'failed', decisions: chose() })).toEqual(['first done', 'yes never', 'no never', 'last never'])
})

test('without the graph the step that was offered is next', () => {
  const branchOptions = [{ toolName: 'calc_continue', parameters: { expectedStep: 3 } }] as never
  expect(states(session({ history: [entry(0, 0, 1), entry(1, 2, 3, { branchOptions })] }))).toEqual(['done', 'done', 'passed', 'next'])
})

test('a long wait between two steps does not squeeze their bars', () => {
  const [first, second] = barsOf([entry(0, 0, 40), entry(1, 1_000_000, 1_000_060)])
  expect(first).toEqual({ left: 0, width: 40 / 125 })
  expect(second).toEqual({ left: 65 / 125, width: 60 / 125 })
})

test('steps that ran at the same time share their place', () => {
  expect(barsOf([entry(0, 0, 10), entry(0, 5, 10)])).toEqual([{ left: 0, width: 1 }, { left: 0.5, width: 0.5 }])
  expect(barsOf([])).toEqual([])
})

test('the next continue names the step that was offered', () => {
  const branchOptions = [{ toolName: 'other', parameters: {} }, { toolName: 'calc_continue', parameters: { expectedStep: 3 } }]
  expect(expectedStep(session({ history: [entry(0, 0, 1, { branchOptions: branchOptions as never })] }))).toBe(3)
  expect(expectedStep(session({}))).toBeUndefined()
})

test('filters of an address are read, and nonsense is left out', () => {
  expect(readFilters({ status: 'failed', workflow: 12, waiting: 'approval', client: 'schedule:a' })).toEqual({ status: 'failed', workflow: '12', waiting: 'approval', client: 'schedule:a' })
  expect(readFilters({ status: 'odd', workflow: '', waiting: true })).toEqual({})
})

test('a session that came in twice is there once', () => {
  expect(unique([{ sessions: [session({})] }, { sessions: [session({}), session({ sessionId: 't' })] }]).map(({ sessionId }) => sessionId)).toEqual(['s', 't'])
})

test('progress counts the steps behind a session', () => {
  expect(progressOf(session({ history: [entry(0, 0, 1), entry(1, 1, 2)] }))).toBe(2)
  expect(progressOf(session({ status: 'failed', history: [entry(0, 0, 1), entry(1, 1, 2, { success: false })] }))).toBe(1)
  expect(progressOf(session({ status: 'completed' }))).toBe(4)
})

test('progress counts what a decision passes over as soon as it is made', () => {
  const decided = (way: boolean, passedSteps: number[]) => [{ nodeId: 'c', way, passedSteps, timestamp: 0 }]
  const history = [entry(0, 0, 1)]
  expect(progressOf(session({ history, running: { stepIndex: 1, since: 2 }, decisions: decided(true, [2]) }))).toBe(2)
  expect(progressOf(session({ history: [...history, entry(1, 1, 2)], decisions: decided(true, [2]) }))).toBe(3)
  expect(progressOf(session({ history, running: { stepIndex: 2, since: 2 }, decisions: decided(false, [1]) }))).toBe(2)
  expect(progressOf(session({ history, decisions: [{ nodeId: 'c', error: 'boom', timestamp: 0 }] }))).toBe(1)
})

test('what the last step offers is open while the session can still choose', () => {
  const option = (toolName: string) => ({ toolName, parameters: {} })
  const forked = entry(0, 0, 1, { branchOptions: [option('walk_start'), option('calc_continue')] })
  expect(offering(session({ history: [forked] }))).toBe(forked)
  expect(offering(session({ history: [entry(0, 0, 1, { branchOptions: [option('calc_continue')] })] }))).toBeUndefined()
  expect(offering(session({ history: [forked], status: 'completed' }))).toBeUndefined()
  expect(offering(session({ history: [forked, entry(1, 2, 3)] }))).toBeUndefined()
})

test('a reply is told in the words of the page, which counts steps from 1', () => {
  const say = (message: string, language: 'en' | 'ja' = 'en') => sayingOf({ content: [{ text: JSON.stringify({ message }) }] }, words[language])
  expect(say('Step 0 (register) completed successfully')).toBe('Step 1 (register) is done')
  expect(say('Step 1 (a + b) completed successfully', 'ja')).toBe('ステップ 2（a + b）が完了しました')
  expect(say('Step 2 (bad) failed (optional), continuing')).toContain('Step 3 (bad) failed')
  expect(say('Step 2 (pay) waits for approval: Send it?')).toBe('Step 3 (pay) waits')
  expect(say('Workflow completed successfully')).toBe('All steps are done')
  expect(sayingOf({ content: [{ text: 'Workflow failed at step 1 (pay): no (really): none' }] }, words.en)).toBe('Step 2 (pay) failed: no (really): none')
  expect(say('Something else')).toBe('Something else')
  expect(sayingOf({ content: [{ text: 'no JSON' }] }, words.en)).toBe('no JSON')
  expect(sayingOf({}, words.en)).toBe('')
})

test('a session that stands still in doubt has not gone on', () => {
  const waiting = (what: string) => ({ structuredContent: { sessionId: 's', status: 'waiting', waiting: { for: what } } })
  expect([isInDoubt(waiting('uncertain')), isInDoubt(waiting('approval')), isInDoubt({})]).toEqual([true, false, false])
  const message = 'Step 1 (send) was under way when the gateway stopped; it is uncertain whether it took effect'
  expect(sayingOf({ content: [{ text: JSON.stringify({ message }) }] }, words.en)).toBe('Nobody knows what became of step 2 (send) when the gateway stopped. Please say so first.')
})
