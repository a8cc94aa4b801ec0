import { expect, test } from 'vitest'
import { conflicts, dropped, edited, freshId, readDrafts, rebased, type Drafts } from './drafts'
import { errorOf, outcomeOf, type Context, type Fields, type Hook, type Trial } from './model'
import { simulate } from './path/simulate'
import { added, expectedOf, judge, moved, readCases, removed, type Case } from './trial/cases'

const fields: Fields = { name: 'a', description: '', hookType: 'pre', onError: 'continue', script: 'x' }
const hook = (name: string, part: Partial<Hook> = {}): Hook => ({
  id: name, enabled: true, executionOrder: 0, version: 1, createdAt: 0, updatedAt: 0, tripped: false,
  stats: { executions: 0, errors: 0, timeouts: 0, blocks: 0, p50Us: 0, p99Us: 0, peakMemory: 0 }, ...fields, name, ...part,
})
const trial = (part: Partial<Trial> = {}): Trial => ({
  phase: 'pre', verdict: { continue: true }, before: {}, after: {}, changed: false, console: [], duration: 1, memory: 1, ...part,
})

test('a draft is kept while it differs and gone when it does not', () => {
  let drafts: Drafts = edited({}, 'h', fields, { script: 'y' })
  expect(drafts['h']).toEqual({ base: fields, fields: { ...fields, script: 'y' } })
  drafts = edited(drafts, 'h', fields, { script: 'x' })
  expect(drafts).toEqual({})
  expect(edited({}, 'new-1', null, { name: 'n' })['new-1']?.fields.name).toBe('n')
  expect(dropped({ h: { base: fields, fields } }, 'h')).toEqual({})
})

test('a change by somebody else is noticed, and only when it matters', () => {
  const draft = { base: fields, fields: { ...fields, script: 'mine' } }
  expect(conflicts(draft, fields)).toBe(false)
  expect(conflicts(draft, { ...fields, script: 'theirs' })).toBe(true)
  expect(conflicts(draft, { ...fields, script: 'mine' })).toBe(false)
  expect(conflicts(undefined, fields)).toBe(false)
  expect(conflicts({ base: null, fields }, fields)).toBe(false)
  const theirs = { ...fields, script: 'theirs' }
  expect(conflicts(rebased({ h: draft }, 'h', theirs)['h'], theirs)).toBe(false)
  expect(rebased({ h: draft }, 'h', draft.fields)).toEqual({})
})

test('drafts outlive a reload, and nonsense in the store does no harm', () => {
  const drafts: Drafts = { h: { base: fields, fields: { ...fields, script: 'z' } }, 'new-1': { base: null, fields } }
  expect(readDrafts(JSON.stringify(drafts))).toEqual(drafts)
  expect(readDrafts('{"h":{"fields":1},"i":null,"j":{"base":{},"fields":{}}}')).toEqual({})
  expect(readDrafts('no')).toEqual({})
  expect(freshId(drafts)).toBe('new-2')
})

test('the outcome of a script has one word', () => {
  const check = (part: Partial<Trial>, expected: string) => expect(outcomeOf(trial(part))).toBe(expected)
  check({}, 'continue')
  check({ changed: true }, 'changed')
  check({ verdict: { continue: false } }, 'blocked')
  check({ verdict: { continue: true, response: 1 } }, 'answered')
  check({ verdict: { continue: false, response: 1 } }, 'answered')
  check({ verdict: { continue: false, response: 1, error: { message: 'm' } } }, 'blocked')
  check({ verdict: { continue: true, response: 1, error: { message: 'm' } } }, 'answered')
  check({ phase: 'post', verdict: { continue: true, response: 1 }, changed: true }, 'changed')
  check({ phase: 'post', verdict: { continue: false, response: 1 } }, 'blocked')
  check({ verdict: null, error: { code: 'TIMEOUT', message: 'm' } }, 'failed')
})

test('a case holds when decision and context are the same', () => {
  const before = trial({ after: { request: { params: { a: 1 } } } })
  const expected = expectedOf(before)
  expect(judge(expected, before)).toBeUndefined()
  expect(judge(expected, trial({ after: { request: { params: { a: 2 } } } }))?.changes).toMatchObject([{ path: '.request.params.a' }])
  expect(judge(expected, trial({ ...before, verdict: { continue: false } }))?.verdict).toEqual({ expected: { continue: true }, got: { continue: false } })
  expect(judge(expected, trial({ ...before, verdict: { continue: true, context: {}, error: { code: 1 } } as Trial['verdict'] }))).toBeUndefined()
  expect(errorOf({ continue: false, error: 'plain' } as unknown as Trial['verdict'])).toEqual({ code: null, message: 'plain' })
  expect(judge(expected, trial({ ...before, verdict: null, error: { code: 'TIMEOUT', message: '' } }))?.verdict?.got).toEqual({ error: 'TIMEOUT' })
})

test('cases belong to a hook and move with its draft', () => {
  const one: Case = { id: '1', name: 'c', phase: 'pre', context: {}, expected: { verdict: { continue: true }, after: {} } }
  const cases = added(added({}, 'new-1', one), 'new-1', { ...one, id: '2' })
  expect(moved(cases, 'new-1', 'h')).toEqual({ h: [one, { ...one, id: '2' }] })
  expect(removed(cases, 'new-1', '1')['new-1']?.map(({ id }) => id)).toEqual(['2'])
  expect(readCases(JSON.stringify(cases))).toEqual(cases)
  expect(readCases('{"h":[1,null]}')).toEqual({ h: [] })
  expect(readCases('[')).toEqual({})
})

test('a request passes the hooks in order, each seeing what the last one left', async () => {
  const seen: string[] = []
  const attempt = (one: Hook, phase: string, context: Context): Promise<Trial> => {
    seen.push(`${one.name} ${phase} ${JSON.stringify(phase === 'pre' ? context.request?.params : context.response)}`)
    if (phase === 'post') return Promise.resolve(trial({ after: { ...context, response: `${String(context.response)}!` }, changed: true }))
    return Promise.resolve(trial({ after: { ...context, request: { params: one.name } }, changed: true }))
  }
  const hooks = [hook('a'), hook('off', { enabled: false }), hook('b', { hookType: 'both' }), hook('tired', { tripped: true })]
  const road = await simulate(hooks, { request: { params: 0 } }, 'r', attempt)
  expect(seen).toEqual(['a pre 0', 'b pre "a"', 'tired pre "b"', 'b post "r"'])
  expect(road.pre.map((step) => step.skipped ?? step.outcome)).toEqual(['changed', 'disabled', 'changed', 'changed'])
  expect(road).toMatchObject({ reached: true })
})

test('a request ends where it is blocked, and passes over hooks when it is answered', async () => {
  const verdicts: Record<string, Partial<Trial>> = {
    block: { verdict: { continue: false, error: { message: 'no' } } },
    answer: { verdict: { continue: false, response: 'cached' } },
    fail: { verdict: null, error: { code: 'SCRIPT_ERROR', message: 'boom' } },
  }
  const attempt = (one: Hook, _: string, context: Context) => Promise.resolve(trial({ after: context, ...verdicts[one.name] }))
  const blocked = await simulate([hook('fail'), hook('block'), hook('x')], {}, 'r', attempt)
  expect(blocked).toMatchObject({ reached: false, ended: { by: 'block', phase: 'pre', message: 'no' }, post: [] })
  expect(blocked.pre).toHaveLength(2)
  const answered = await simulate([hook('answer'), hook('x'), hook('p', { hookType: 'post' })], {}, 'r', attempt)
  expect(answered.pre.map((step) => step.skipped ?? step.outcome)).toEqual(['answered', 'passed'])
  expect(answered.reached).toBe(false)
  expect(answered.post).toHaveLength(1)
  expect(await simulate([hook('fail', { onError: 'stop' })], {}, 'r', attempt)).toMatchObject({ reached: false, ended: { by: 'fail', message: 'boom' } })
})
