import { expect, test } from 'vitest'
import { exampleValue, isComplete, presetValue } from './example'

test.each([
  [{ type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' } }, required: ['a'] }, { a: 1 }],
  [{ type: 'object', properties: { a: { enum: ['x', 'y'] } }, required: ['a'] }, { a: 'x' }],
  [{ type: 'object', properties: { n: { type: 'integer', exclusiveMinimum: 0 } }, required: ['n'] }, { n: 1 }],
  [{ type: 'object', properties: { d: { default: 7 } }, required: ['d', 'unknown'] }, { d: 7, unknown: {} }],
  [{ type: ['string', 'null'] }, 'text'],
  [true, {}],
])('%j is shown as %j', (schema, value) => {
  expect(exampleValue(schema)).toEqual(value)
})

test('an input begins with what the schema sets, not with an example, and is complete with every required member', () => {
  const schema = {
    type: 'object',
    required: ['name', 'weight', 'unit', 'sure'],
    properties: { name: { type: 'string', examples: ['Ann'] }, weight: { type: 'number' }, unit: { type: 'string', default: 'kg' }, sure: { type: 'boolean' }, note: { type: 'string', default: 'x' } },
  }
  expect(presetValue(schema)).toEqual({ unit: 'kg', sure: false })
  expect(isComplete(schema, presetValue(schema))).toBe(false)
  expect(isComplete(schema, { ...presetValue(schema), name: 'Ann', weight: 0 })).toBe(true)
  expect([presetValue(null), isComplete(undefined, {}), isComplete(undefined, 1)]).toEqual([{}, true, false])
})
