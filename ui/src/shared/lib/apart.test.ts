import { expect, test } from 'vitest'
import { apart } from './apart'

const named = (...pairs: string[]) => apart(pairs.map((pair) => pair.split('=')), ([text = '']) => text, ([, id = '']) => id)

test.each([
  ['nothing is added where each text stands once', ['a=1', 'b=2'], ['a', 'b']],
  ['long ids are cut', ['a=0a1b2c3d-4e5f', 'a=1a1b2c3d-4e5f', 'b=2'], ['a (0a1b2c3d)', 'a (1a1b2c3d)', 'b']],
  ['as much is shown as tells them apart', ['a=hook-abc123', 'a=hook-abc129', 'a=hook-x'], ['a (hook-abc123)', 'a (hook-abc129)', 'a (hook-x)']],
  ['an id that another goes on from is shown whole', ['a=step-number-1', 'a=step-number-12'], ['a (step-number-1)', 'a (step-number-12)']],
  ['what looks the same is the same', ['通知=1', '通知 =2', 'ﾂｳﾁ=3', 'ツウチ=4'], ['通知 (1)', '通知  (2)', 'ﾂｳﾁ (3)', 'ツウチ (4)']],
])('%s', (_, pairs, expected) => {
  expect(named(...pairs)).toEqual(expected)
})

test('a thousand of one name are told apart in no time', () => {
  const ids = Array.from({ length: 1000 }, (_, at) => `hook-${at}`)
  expect(new Set(apart(ids, () => 'Hook', (id) => id)).size).toBe(1000)
})
