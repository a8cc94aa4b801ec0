import { expect, test } from 'vitest'
import { Draft, NumberText } from './json'
import { fieldText, holdsDraft, isNumber, isRecord, keptJson, numberFrom, readJson, readNumber, valueOf, withDrafts, withoutDrafts, writeJson } from './values'

test.each(['9007199254740993', '-12345678901234567890', '0.12345678901234567890', '1e400', '1e-400', '3.14159265358979323846'])('%s keeps its digits on the way in and out', (text) => {
  const value = readJson(`{"id":${text},"list":[1,${text}]}`)
  expect(value).toEqual({ id: new NumberText(text), list: [1, new NumberText(text)] })
  expect(writeJson(value)).toBe(`{"id":${text},"list":[1,${text}]}`)
  expect(writeJson({ value }, 2)).toContain(`"id": ${text}`)
})

test.each([
  ['9007199254740992', 9007199254740992],
  ['100000000000000000000', 1e20],
  ['1.0', 1],
  ['-0.0', -0],
  ['1.50e2', 150],
  ['0.30000000000000004', 0.1 + 0.2],
  ['1760000000000', 1_760_000_000_000],
])('%s loses nothing and is a number', (text, number) => {
  expect(readJson(text)).toBe(number)
  expect(readNumber(text)).toBe(number)
})

test('digits inside a text are left alone', () => {
  const text = '{"card":"9007199254740993","n":9007199254740993}'
  expect(readJson(text)).toEqual({ card: '9007199254740993', n: new NumberText('9007199254740993') })
  expect(writeJson(readJson(text))).toBe(text)
})

test('a key that stands twice has the last value, and __proto__ is a key', () => {
  expect(readJson('{"a":9007199254740993,"a":2}')).toEqual({ a: 2 })
  const value = readJson('{"__proto__":{"n":9007199254740993}}') as object
  expect(Object.keys(value)).toEqual(['__proto__'])
  expect(writeJson(value)).toBe('{"__proto__":{"n":9007199254740993}}')
})

test('a text that is no JSON has the error of JSON.parse', () => {
  expect(() => readJson('{"a": 9007199254740993')).toThrow(SyntaxError)
  expect(valueOf('{')).toEqual({ bad: true })
  expect(valueOf('  ')).toEqual({})
  expect(valueOf('0')).toEqual({ value: 0 })
})

test('members without a value are left out, also beside a long number', () => {
  expect(writeJson({ a: undefined, b: new NumberText('9007199254740993') })).toBe('{"b":9007199254740993}')
  expect(writeJson(undefined)).toBe(undefined)
})

test('what nests too deep for the exact reader is read all the same', () => {
  const text = `${'['.repeat(600)}9007199254740993${']'.repeat(600)}`
  expect(Array.isArray(readJson(text))).toBe(true)
})

test('a long number is a number and no object', () => {
  const long = readNumber('9007199254740993')
  expect([isNumber(long), isRecord(long), isNumber(1), isRecord({}), isRecord([])]).toEqual([true, false, true, true, false])
  expect(String(long)).toBe('9007199254740993')
})

test.each(['1.05', '1.0', '0.001', '-0.5', '1e5', '1e40', '-0', '12345678901234567890.5', ''])('%j in a number field keeps its digits', (typed) => {
  expect(fieldText(numberFrom(typed))).toBe(typed)
  expect(holdsDraft(numberFrom(typed))).toBe(false)
})

test.each([
  ['１２', '12'], ['－１．５', '-1.5'], ['−5', '-5'], ['ー3', '-3'], ['.5', '0.5'], ['-.5', '-0.5'], ['5.', '5'], ['5.e3', '5e3'],
  ['05', '5'], ['-007.50', '-7.50'], ['000', '0'], ['+5', '5'], ['+.5', '0.5'], [' 7 ', '7'],
])('%j is meant as the number %s', (typed, meant) => {
  expect(isNumber(numberFrom(typed))).toBe(true)
  expect(fieldText(numberFrom(typed))).toBe(meant)
})

test.each(['-', '+', '.', '5e', '.e5', '+-5', '--5', '1-2', '1.2.3', '0x10', '1,5', 'true'])('%j is no number, and stays as it is typed', (typed) => {
  expect(numberFrom(typed)).toEqual(new Draft(typed))
})

test.each([['x', 'x'], [5, '5'], [new NumberText('1.50'), '1.50'], [new Draft('1-'), '1-'], [false, 'false'], [{ a: [1] }, '{"a":[1]}'], [null, ''], [undefined, '']])('a field shows %j as %j', (value, text) => {
  expect(fieldText(value)).toBe(text)
})

test('a draft is no record, survives being kept, differs from its text, and can be left out', () => {
  const value = { a: [1, new Draft('[2,')], b: { c: new Draft('') }, n: new NumberText('9007199254740993'), t: '[2,' }
  expect([isRecord(new Draft('')), holdsDraft(value), holdsDraft(withoutDrafts(value))]).toEqual([false, true, false])
  expect(withDrafts(readJson(keptJson(value)))).toEqual(value)
  expect(writeJson(new Draft('x'))).not.toBe(writeJson('x'))
  expect(withoutDrafts(value)).toEqual({ a: [1], b: {}, n: new NumberText('9007199254740993'), t: '[2,' })
})

test('a value that reads as a draft does is kept as the value that it is', () => {
  const value = { a: { $draft: 'x' }, b: [{ $$draft: 'y' }, { $draft: 1, $$$draft: new Draft('[') }], c: { draft: 'z', $drafts: '' } }
  expect(withDrafts(readJson(keptJson(value)))).toEqual(value)
})
