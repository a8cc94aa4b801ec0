import { expect, test } from 'vitest'
import { isReady, type Parameter, startValue, valueOf } from './parameters'

const parameter = (type: string, value?: unknown, required = false) =>
  ({ name: 'p', type, description: '', required, default: value }) as unknown as Parameter

test.each([
  ['list', ['a', 'b']],
  ['list', [1, { a: 2 }]],
  ['number', 12],
  ['object', { a: 1 }],
  ['string', 'x'],
  ['boolean', true],
])('what a %s begins with can be read back', (type, value) => {
  expect(valueOf(parameter(type), startValue(parameter(type, value)))).toEqual(value)
})

test('what is left empty is not given', () => {
  expect(valueOf(parameter('list'), '  ')).toBeUndefined()
  expect(isReady(parameter('list'), '')).toBe(true)
  expect(isReady(parameter('list', undefined, true), '')).toBe(false)
})

test('what cannot be read is told', () => {
  for (const text of ['many', '0x10', '1-2', '5e']) expect(valueOf(parameter('number'), text)).toBeInstanceOf(Error)
  expect(isReady(parameter('object'), '{')).toBe(false)
})
