import { describe, expect, it } from 'vitest'
import { format, parse } from '../../../shared/lib/json'
import {
  Draft,
  jsonText,
  moveItem,
  pointer,
  renameKey,
  setAt,
  settle,
  valueAt,
  type Path,
  type Value,
  type ValueObject,
} from './value'

describe('a value', () => {
  const start = parse('{"a":{"b":[1,2,3]},"c":""}')
  const text = (value: Value | undefined) => (value === undefined ? undefined : format(settle(value).json))

  it('is changed at a path, and the rest stays', () => {
    const check = (path: Path, next: Value | undefined, expected: string) => {
      expect(text(setAt(start, path, next))).toBe(expected)
    }
    check(['c'], 'x', '{"a":{"b":[1,2,3]},"c":"x"}')
    check(['c'], undefined, '{"a":{"b":[1,2,3]}}')
    check(['c'], null, '{"a":{"b":[1,2,3]},"c":null}')
    check(['a', 'b', 1], undefined, '{"a":{"b":[1,3]},"c":""}')
    check(['a', 'b', 1], 9, '{"a":{"b":[1,9,3]},"c":""}')
    check(['d', 'e'], true, '{"a":{"b":[1,2,3]},"c":"","d":{"e":true}}')
    check(['d', 0], true, '{"a":{"b":[1,2,3]},"c":"","d":[true]}')
    check(['__proto__'], 1, '{"a":{"b":[1,2,3]},"c":"","__proto__":1}')
    expect(text(start)).toBe('{"a":{"b":[1,2,3]},"c":""}')
  })

  it('tells unset, empty and null apart', () => {
    const at = (json: string) => valueAt(parse(json), ['x'])
    expect(at('{}')).toBeUndefined()
    expect(at('{"x":""}')).toBe('')
    expect(at('{"x":null}')).toBeNull()
    expect(valueAt(parse('{}'), ['toString'])).toBeUndefined()
  })

  it('keeps the order when a key is renamed, and never overwrites another', () => {
    const object = parse('{"a":1,"b":2}') as ValueObject
    expect(text(renameKey(object, 'a', 'z'))).toBe('{"z":1,"b":2}')
    expect(renameKey(object, 'a', 'b')).toBe(object)
  })

  it('moves items within bounds', () => {
    expect(moveItem([1, 2, 3], 0, 2)).toEqual([2, 3, 1])
    expect(moveItem([1, 2, 3], 0, 3)).toEqual([1, 2, 3])
    expect(moveItem([1, 2, 3], 0, -1)).toEqual([1, 2, 3])
  })

  it('turns drafts into the texts they are and says where they were', () => {
    const { json, drafts } = settle({ a: new Draft('{"x":'), b: [1, new Draft('-')] })
    expect(format(json)).toBe('{"a":"{\\"x\\":","b":[1,"-"]}')
    expect(drafts.map(pointer)).toEqual(['/a', '/b/1'])
    expect(jsonText(new Draft('[1,'))).toBe('[1,')
    expect(jsonText(undefined)).toBe('')
  })
})
