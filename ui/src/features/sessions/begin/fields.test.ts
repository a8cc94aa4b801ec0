import { expect, test } from 'vitest'
import { fieldsOf } from './fields'

test('a flat schema becomes fields, in its order', () => {
  const schema = {
    type: 'object',
    required: ['who'],
    properties: { who: { type: 'string', title: 'Who', description: 'A name' }, age: { type: 'integer' }, sure: { type: 'boolean' }, size: { enum: ['s', 'm'] } },
  }
  expect(fieldsOf(schema)?.map(({ name, kind, title, required }) => [name, kind, title, required])).toEqual([
    ['who', 'text', 'Who', true], ['age', 'number', 'age', false], ['sure', 'flag', 'sure', false], ['size', 'choice', 'size', false],
  ])
})

const others = [
  undefined, null, true, {}, { properties: {} }, { properties: { a: { type: 'object' } } }, { properties: { a: { type: ['string', 'null'] } } },
  { properties: { a: { enum: ['s', 1] } } }, { properties: { a: { type: 'string' } }, oneOf: [] },
]

test.each(others)('what a plain form cannot hold is left to JSON: %o', (schema) => {
  expect(fieldsOf(schema)).toBeUndefined()
})

test('a field whose name and title are blank is called by its name as it is written', () => {
  const schema = { properties: { '': { type: 'string' }, ' ': { type: 'number', title: ' ' }, a: { type: 'string', title: '' } } }
  expect(fieldsOf(schema)?.map(({ title }) => title)).toEqual(['""', '" "', 'a'])
})

test('two fields of one title are told apart by their names', () => {
  const text = (title: string) => ({ type: 'string', title })
  const fields = fieldsOf({ properties: { from_date: text('Date'), to_date: text('Date'), note: text('Note') } })
  expect(fields?.map(({ title }) => title)).toEqual(['Date (from_date)', 'Date (to_date)', 'Note'])
})
