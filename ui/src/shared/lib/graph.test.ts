import { expect, test } from 'vitest'
import { firstActivity, type Graph, namesOf, readGraph, stepNodes } from './graph'

/** A graph from words such as `s>a` and `c>true>a`: `s` starts, `e` ends, `c` and `d` are conditions. */
function draw(...edges: string[]): Graph {
  const wires = edges.map((edge) => edge.split('>')).map((words) => ({ source: words[0], target: words.at(-1), ...(words.length === 3 ? { sourceHandle: words[1] } : {}) }))
  const ids = [...new Set(wires.flatMap(({ source, target }) => [target, source]))]
  const type = (id: string) => ({ s: 'start', e: 'end', c: 'condition', d: 'condition' })[id] ?? 'activity'
  const data = (id: string) => (type(id) === 'activity' ? { step: { activity: `do ${id}` } } : {})
  return readGraph(ids.map((id = '') => ({ id, type: type(id), data: data(id) })), wires)
}

const steps = (...edges: string[]) => stepNodes(draw(...edges)).map(({ id }) => id)

test.each([
  ['a line', ['b>e', 's>a', 'a>b'], ['a', 'b']],
  ['ways that meet', ['s>c', 'c>true>a', 'c>false>b', 'a>m', 'b>m', 'm>e'], ['a', 'b', 'm']],
  ['the way for false drawn first', ['c>false>b', 'b>m', 'm>e', 's>c', 'a>m', 'c>true>a'], ['a', 'b', 'm']],
  ['a way that goes round a step', ['s>x', 'x>c', 'c>true>a', 'a>e', 'c>false>e'], ['x', 'a']],
  ['a way for true that goes round', ['s>c', 'c>true>m', 'c>false>b', 'b>m', 'm>e'], ['b', 'm']],
  ['a condition on a way', ['s>c', 'c>true>d', 'd>true>x', 'd>false>y', 'x>m', 'y>m', 'c>false>b', 'b>m', 'm>e'], ['x', 'y', 'b', 'm']],
  ['a ring', ['s>a', 'a>b', 'b>a'], ['a', 'b']],
  ['nothing that leads anywhere', ['a>b'], []],
])('steps come after all that lead to them: %s', (_, edges, expected) => {
  expect(steps(...edges)).toEqual(expected)
})

test('a session begins with an activity, unless a condition comes first', () => {
  expect(firstActivity(draw('a>e', 's>a'))).toBe('do a')
  expect(firstActivity(draw('s>c', 'c>true>a', 'c>false>e', 'a>e'))).toBeUndefined()
  expect(firstActivity({ nodes: draw('s>a').nodes, edges: [] })).toBeUndefined()
})

test('nodes of one label are told apart in lists', () => {
  const nodes = [['hook-a1', 'Hook'], ['hook-b2', 'Hook'], ['end', 'End']].map(([id, label]) => ({ id, type: 'hook', data: { label } }))
  const name = namesOf(readGraph(nodes, []))
  expect(['hook-a1', 'hook-b2', 'end', 'gone'].map(name)).toEqual(['Hook (hook-a1)', 'Hook (hook-b2)', 'End', 'gone'])
})
