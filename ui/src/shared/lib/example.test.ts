import { expect, test } from 'vitest'
import { exampleValue } from './example'

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
