import { expect, test } from 'vitest'
import { fromPlain, format, parse } from '../../shared/lib/json'
import { Draft, settle } from './schema/value'
import { argumentsOf, blank, documentOf, firstForm, toForm, toJson, usePlayground, withValue, type FormState } from './store'

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
