import { describe, expect, it } from 'vitest'
import { JsonError, NumberText, equal, format, fromPlain, isHalf, isNumberText, parse, toPlain } from './json'

const same = (text: string) => {
  expect(format(parse(text))).toBe(text)
}

describe('JSON', () => {
  it('comes back as it was written, digit for digit', () => {
    for (const text of [
      '0',
      '-0',
      '1.0',
      '1e400',
      '12345678901234567890',
      '-0.10',
      '1E+2',
      '0.1',
      '9007199254740993',
      'null',
      'true',
      '""',
      '"\\u0000\\n\\"\\\\é𝄞"',
      '[]',
      '{}',
      '[1,[2,{"a":null}],"x"]',
      '{"b":1,"a":2}',
      '{"__proto__":{"x":1},"constructor":1}',
    ])
      same(text)
  })

  it('keeps small numbers as numbers and long ones as text', () => {
    expect(parse('12')).toBe(12)
    expect(parse('12345678901234567890')).toEqual(new NumberText('12345678901234567890'))
  })

  it('agrees with JSON.parse on what is JSON', () => {
    const texts = [
      '',
      ' ',
      '{',
      '[1,]',
      '{"a":1,}',
      '01',
      '1.',
      '.5',
      '-',
      '+1',
      '1e',
      '"a',
      '"\t"',
      '"\\x"',
      '"\\u12"',
      'tru',
      'nul',
      'NaN',
      '[1 2]',
      '{"a" 1}',
      '{a:1}',
      "{'a':1}",
      '1 1',
      '[',
      ']',
      '"\\u00e9"',
      ' [ 1 , 2 ] ',
      '{"a":{"b":[]}}',
      '-1.5e-3',
      'true false',
    ]
    for (const text of texts) {
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      if (valid) expect(toPlain(parse(text))).toEqual(JSON.parse(text))
      else expect(() => parse(text), text).toThrow(JsonError)
    }
  })

  it('says where it went wrong', () => {
    const wrong = (text: string, trouble: string, line: number, column: number) => {
      try {
        parse(text)
        expect.unreachable(text)
      } catch (error) {
        expect(error).toMatchObject({ trouble, line, column })
      }
    }
    wrong('{\n  "a": x\n}', 'unexpected', 2, 8)
    wrong('{"a":1,"a":2}', 'duplicate', 1, 8)
    wrong('[1,', 'end', 1, 4)
    wrong('"a\nb"', 'control', 1, 3)
    wrong('[01]', 'number', 1, 2)
    wrong('[" \\q"]', 'escape', 1, 4)
    wrong('['.repeat(500), 'depth', 1, 402)
  })

  it('indents as JSON.stringify does', () => {
    for (const value of [{ a: [1, { b: null }], c: {}, d: [] }, [], 'x', [[[]]]]) {
      expect(format(fromPlain(value), 2)).toBe(JSON.stringify(value, null, 2))
    }
  })

  it('compares by value', () => {
    const check = (a: string, b: string, expected: boolean) => {
      expect(equal(parse(a), parse(b)), `${a} ${b}`).toBe(expected)
    }
    check('{"a":1,"b":[2]}', '{"b":[2],"a":1}', true)
    check('{"a":1}', '{"a":1,"b":2}', false)
    check('1.0', '1', true)
    check('1.0', '1.00', true)
    check('12345678901234567890', '12345678901234567891', false)
    check('1', '"1"', false)
    check('1.0', 'null', false)
    check('0', 'null', false)
    check('1.0', '""', false)
    check('[]', '{}', false)
    check('[1]', '[1,1]', false)
  })

  it('knows a number when it sees one', () => {
    for (const text of ['0', '-1', '1.5', '1e9', '123456789012345678901']) expect(isNumberText(text), text).toBe(true)
    for (const text of ['', ' 1', '1 ', '+1', '.5', '5.', '0x1', '1,5', 'abc', '01']) expect(isNumberText(text), text).toBe(false)
  })

  it('tells a text that breaks off from one that is wrong', () => {
    for (const text of ['{', '{"a', '{"a":', '{"a":1', '[1,', '{"a":"b']) expect(isHalf(text), text).toBe(true)
    for (const text of ['{}', '{"a":1}', '{,', '[servers]\ncommand = "x"', '// c\n{}']) expect(isHalf(text), text).toBe(false)
  })
})
