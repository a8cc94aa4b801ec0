import { expect, test } from 'vitest'
import { diff } from './diff'

const check = (before: unknown, after: unknown, expected: string[]) => {
  const told = diff(before, after).map(
    (one) => `${one.kind} ${one.path} ${JSON.stringify(one.before) ?? '-'} ${JSON.stringify(one.after) ?? '-'}`,
  )
  expect(told).toEqual(expected)
}

test('nothing changed is nothing told', () => {
  check({ a: [1, { b: null }] }, { a: [1, { b: null }] }, [])
  check({ a: 1, b: 2 }, { b: 2, a: 1 }, [])
})

test('members are added, removed and changed in their place', () => {
  check({ r: { a: 1, b: 2 } }, { r: { a: 1, b: 3, 'x y': '' } }, ['changed .r.b 2 3', 'added .r["x y"] - ""'])
  check({ a: null }, {}, ['removed .a null -'])
  check({ a: undefined }, { a: null }, ['changed .a - null'])
  check({ a: {} }, { a: [] }, ['changed .a {} []'])
  check(1, 'x', ['changed  1 "x"'])
})

test('a removed item is one change', () => {
  check([{ n: 1 }, { n: 2 }, { n: 3 }], [{ n: 1 }, { n: 3 }], ['removed [1] {"n":2} -'])
  check([1, 2, 3], [0, 1, 2, 3], ['added [0] - 0'])
  check([1, { a: 1, b: 1 }, 3], [1, { a: 2, b: 1 }, 3], ['changed [1].a 1 2'])
  check([1, 2], [], ['removed [0] 1 -', 'removed [1] 2 -'])
  check([{ b: 1, a: 1 }], [{ a: 1, b: 1 }, 2], ['added [1] - 2'])
})

test('long lists are compared place by place', () => {
  const long = Array.from({ length: 2000 }, (_, i) => i)
  check(long, [...long.slice(0, -1), -1], ['changed [1999] 1999 -1'])
})
