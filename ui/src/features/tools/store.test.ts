import { expect, test } from 'vitest'
import { fromPlain, format, parse } from '../../shared/lib/json'
import { choiceAt, Draft, settle } from './schema/value'
import { argumentsOf, blank, documentOf, firstForm, toForm, toJson, usePlayground, withOrder, withParts, withValue, type FormState } from './store'

const text = (form: FormState) => format(settle(form.value).json)
const after = (form: FormState, ...steps: ((form: FormState) => Partial<FormState>)[]) =>
  steps.reduce((one, step) => ({ ...one, ...step(one) }), form)

test('the two views hold the same, also what neither could guess', () => {
  const value = parse('{"id":12345678901234567890,"f":1.0,"s":"a\\r\\nb","n":null,"e":"","extra":{"deep":[1e400]}}')
  const round = after(blank(value), toJson, toForm)
  expect(text(round)).toBe(format(value))
  expect(round.value).toBe(value)
})

test('a draft is still a draft after a look at the JSON', () => {
  const form = after(blank({}), withValue(['n'], new Draft('12a')))
  expect(argumentsOf(form).drafts).toEqual([['n']])
  const round = after(form, toJson, toForm)
  expect(argumentsOf(round).drafts).toEqual([['n']])
  expect(after(form, toJson).text).toBe('{\n  "n": "12a"\n}')
})

test('what is typed as JSON arrives in the form', () => {
  const form = after(blank({}), toJson, () => ({ text: '{ "a" : 1.50 }' }), toForm)
  expect(text(form)).toBe('{"a":1.50}')
  expect(after(form, toJson).text).toBe('{ "a" : 1.50 }')
  expect(after(form, withValue(['a'], 2), toJson).text).toBe('{\n  "a": 2\n}')
})

test('a text that is no JSON stays where it is', () => {
  const form = after(blank({}), toJson, () => ({ text: '{"a":' }))
  expect(() => toForm(form)).toThrow()
  expect(() => argumentsOf(form)).toThrow()
})

test('a form begins with what its tool asks for', () => {
  const schema = fromPlain({ type: 'object', properties: { a: { default: 1 } }, required: ['a'] })
  const tool = { key: 's/t', server: 's', name: 't', mcpName: 't', description: '', schema, annotations: {} }
  expect(text(firstForm(tool, documentOf(schema)))).toBe('{"a":1}')
  expect(firstForm({ ...tool, schema: 'nonsense' }, documentOf('nonsense')).mode).toBe('json')
})

test('each tool keeps its own form', () => {
  const { change } = usePlayground.getState()
  change('a', () => ({ value: { x: 1 } }))
  change('b', withValue(['y'], 2))
  change('a', withValue(['x'], undefined))
  const { forms } = usePlayground.getState()
  expect([forms['a'] && text(forms['a']), forms['b'] && text(forms['b'])]).toEqual(['{}', '{"y":2}'])
})

const remembered = (form: FormState) => ({ choices: form.choices, parked: form.parked, asJson: form.asJson })

test('what was chosen for an item goes with it, also for what is below it', () => {
  const l = (at: number) => choiceAt(['l', at], 0)
  const form: FormState = { ...blank({ l: ['a', 'b', 'c'] }), choices: { [l(0)]: 2, [choiceAt(['l', 2, 'x'], 1)]: 1, [choiceAt(['l'], 0)]: 1, [choiceAt(['list', 0], 0)]: 3 }, parked: { [`${l(0)}/1`]: 'old' }, asJson: { '/l/2': true } }
  const list = ['a', 'b', 'c']
  const moved = after(form, withOrder(['l'], list, [1, 2, 0]))
  expect(text(moved)).toBe('{"l":["b","c","a"]}')
  expect(remembered(moved)).toEqual({
    choices: { [l(2)]: 2, [choiceAt(['l', 1, 'x'], 1)]: 1, [choiceAt(['l'], 0)]: 1, [choiceAt(['list', 0], 0)]: 3 }, parked: { [`${l(2)}/1`]: 'old' }, asJson: { '/l/1': true },
  })
  const removed = after(form, withOrder(['l'], list, [1, 2]))
  expect(text(removed)).toBe('{"l":["b","c"]}')
  expect(remembered(removed)).toEqual({ choices: { [choiceAt(['l', 1, 'x'], 1)]: 1, [choiceAt(['l'], 0)]: 1, [choiceAt(['list', 0], 0)]: 3 }, parked: {}, asJson: { '/l/1': true } })
})

test('what was chosen for a member goes with its name, whatever the name is', () => {
  const form: FormState = { ...blank({ 'a/b~': 1, a: 2 }), choices: { [choiceAt(['a/b~'], 0)]: 1, [choiceAt(['a'], 0)]: 2, [choiceAt([], 0)]: 3 }, asJson: { '/a~1b~0': true } }
  const renamed = after(form, withParts([], { '~#0': 1, a: 2 }, (key) => (key === 'a/b~' ? '~#0' : key)))
  expect(remembered(renamed)).toEqual({ choices: { [choiceAt(['~#0'], 0)]: 1, [choiceAt(['a'], 0)]: 2, [choiceAt([], 0)]: 3 }, parked: {}, asJson: { '/~0#0': true } })
  expect(remembered(after(renamed, withParts([], { a: 2 }, (key) => (key === '~#0' ? undefined : key))))).toEqual({ choices: { [choiceAt(['a'], 0)]: 2, [choiceAt([], 0)]: 3 }, parked: {}, asJson: {} })
})
