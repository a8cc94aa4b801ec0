import { describe, expect, test } from 'vitest'
import { Draft } from '../../../shared/lib/json'
import { copyText, paste, readText } from './clipboard'
import { appendNode, blankGraph, deleteParts, insertNode, placeNode, turnHook } from './edits'
import { changeData, type Graph, moved, moveNodes, nodeOf, outputsOf, readGraph } from './graph'
import { tidied } from './layout'
import { connect, kindsOf, refusalOf } from './rules'

const kinds = kindsOf([])
const NONE: ReadonlySet<string> = new Set()

function hook(id: string, blocking = true) {
  return { id, type: 'hook', position: { x: 0, y: 0 }, data: { label: id, hook: { id, script: 'return', blocking } } }
}

/** A graph from words such as `s>a`, `?>true>b`: nodes begin with the first letter of their kind. */
function draw(...edges: string[]): Graph {
  const nodes = new Map<string, unknown>()
  const list: unknown[] = []
  const see = (id: string) => {
    const type = { s: 'start', e: 'end', c: 'mcp-call', '?': 'condition' }[id[0] ?? ''] ?? 'hook'
    const plain = { id, type, position: { x: 0, y: 0 }, data: { label: id, expression: 'true' } }
    if (!nodes.has(id)) nodes.set(id, type === 'hook' ? hook(id, !id.startsWith('f')) : plain)
  }
  for (const edge of edges) {
    const words = edge.split('>')
    const [source, target, way] = words.length === 3 ? [words[0], words[2], words[1]] : [words[0], words[1], undefined]
    see(source ?? '')
    if (target) {
      see(target)
      list.push({ id: edge, source, target, ...(way ? { sourceHandle: way } : {}) })
    }
  }
  return readGraph([...nodes.values()], list)
}

function wires(graph: Graph): string[] {
  const word = (way: string | null | undefined) => (way ? `>${way}>` : '>')
  return graph.edges.map((edge) => `${edge.source}${word(edge.sourceHandle)}${edge.target}`).sort()
}

test.each([
  ['to another target', 'h>out>c', 'h', 'e', null, 'h>out>e'],
  ['away from a condition', '?>true>c', 'h', 'c', null, 'h>c'],
  ['to a condition', 'h>out>c', '?', 'c', 'false', '?>false>c'],
  ['to the other way', '?>true>c', '?', 'c', 'false', '?>false>c'],
])('an edge that is moved %s has the name of an output that its source has', (_, edge, source, target, way, expected) => {
  const graph = draw(edge)
  const edges = graph.edges.map((one) => moved(one, { source, target, way }))
  expect(wires({ ...graph, edges })).toEqual([expected])
})

describe('reading', () => {
  test('unknown keys of nodes, edges, positions and data are kept', () => {
    const node = { id: 'a', type: 'hook', position: { x: 1, y: 2, z: 3 }, data: { label: 'A', mine: [1] }, colour: 'red' }
    const edge = { id: 'x', source: 'a', target: 'b', animated: true, mine: 1 }
    expect(readGraph([node], [edge])).toEqual({ nodes: [node], edges: [edge] })
  })

  test('an edge without an id gets one of its own', () => {
    const graph = readGraph([], [{ source: 'a', target: 'b' }, { source: 'a', target: 'b' }])
    expect(new Set(graph.edges.map((edge) => edge.id)).size).toBe(2)
  })

  test('a change of data keeps the other keys and leaves the other nodes as they are', () => {
    const graph = draw('s>a', 'a>c')
    const changed = changeData(graph, 'a', { label: 'new', gone: undefined })
    expect(nodeOf(changed, 'a')?.data).toMatchObject({ label: 'new', hook: { id: 'a' } })
    expect(nodeOf(changed, 's')).toBe(nodeOf(graph, 's'))
    expect(moveNodes(graph, new Map([['a', { x: 0, y: 0 }]]))).toBe(graph)
  })
})

describe('connecting', () => {
  const refused = (graph: Graph, source: string, target: string, way?: string) =>
    refusalOf(graph, kinds, 'tools/call', { source, target, way: way ?? null })?.rule

  test.each([
    ['a second input into end', draw('s>c', 'c>e', 'h'), 'h', 'e', undefined, 'one-input'],
    ['an input into start', draw('s>c', 'h'), 'h', 's', undefined, 'start-input'],
    ['an output of end', draw('c>e', 'h'), 'e', 'h', undefined, 'end-output'],
    ['an output of a fire-and-forget hook', draw('s>f', 'h'), 'f', 'h', undefined, 'side-output'],
    ['a second input into a fire-and-forget hook', draw('s>f', 'h'), 'h', 'f', undefined, 'one-input'],
    ['itself', draw('h'), 'h', 'h', undefined, 'self'],
    ['the same edge again', draw('s>h'), 's', 'h', undefined, 'same'],
    ['a circle', draw('h>i', 'i>j'), 'j', 'h', undefined, 'cycle'],
    ['a way that is taken', draw('?>true>h', 'i'), '?', 'i', 'true', 'way-taken'],
    ['a condition without a way', draw('?', 'i'), '?', 'i', undefined, 'way-needed'],
    ['ways that no condition parted', draw('s>h', 's>i', 'h>c'), 'i', 'c', undefined, 'one-input'],
  ])('refuses %s', (_, graph, source, target, way, rule) => {
    expect(refused(graph, source, target, way)).toBe(rule)
    const result = connect(graph, kinds, 'tools/call', { source, target, way: way ?? null })
    expect(result).toHaveProperty('refusal')
  })

  test('allows many outputs of start, and ways of a condition that meet again', () => {
    expect(refused(draw('s>h', 'f'), 's', 'f')).toBeUndefined()
    expect(refused(draw('s>?', '?>true>h', '?>false>i', 'h>c'), 'i', 'c')).toBeUndefined()
    expect(refused(draw('s>?', '?>true>h', 'h>c'), '?', 'c', 'false')).toBeUndefined()
  })

  test('a session is one line that only conditions part, and their ways may meet again', () => {
    const rule = (graph: Graph, source: string, target: string, way?: string) => refusalOf(graph, kinds, 'session', { source, target, way: way ?? null })?.rule
    expect(rule(draw('s>a', 'e'), 's', 'e')).toBe('one-line')
    expect(rule(draw('s>?', '?>true>a', '?>false>b', 'a>e'), 'b', 'e')).toBeUndefined()
    expect(rule(draw('s>?', '?>true>a', 'a>e'), '?', 'e', 'false')).toBeUndefined()
    expect(rule(draw('s>?', '?>true>a', '?>false>b', 'a>b', 'e'), 'a', 'e')).toBe('one-line')
    expect(rule(draw('s>a', 'a>e', 'b'), 'b', 'e')).toBe('one-input')
    expect(rule(draw('s>?', '?>true>a', 'b'), '?', 'b', 'true')).toBe('way-taken')
  })
})

describe('editing', () => {
  test('a node put on an edge stands between its ends', () => {
    const graph = draw('s>c', 'c>e')
    const stamp = { type: 'hook', data: { label: 'New', hook: { script: '', blocking: true } } }
    const { graph: after, id } = insertNode(graph, kinds, 'tools/call', 's>c', stamp)
    expect(wires(after)).toEqual(['c>e', `${id}>c`, `s>${id}`].sort())
    expect(nodeOf(after, id)?.data['hook']).toMatchObject({ id })
  })

  test('a condition put on an edge leads on by its true way', () => {
    const stamp = { type: 'condition', data: { label: 'If', expression: '' } }
    const { graph, id } = insertNode(draw('s>c'), kinds, 'tools/call', 's>c', stamp)
    expect(wires(graph)).toEqual([`${id}>true>c`, `s>${id}`].sort())
  })

  test('a fire-and-forget hook put on an edge hangs off its source', () => {
    const stamp = { type: 'hook', data: { hook: { script: '', blocking: false } } }
    const { graph, id } = insertNode(draw('s>c'), kinds, 'tools/call', 's>c', stamp)
    expect(wires(graph)).toEqual(['s>c', `s>${id}`])
  })

  test('a node put after another one takes over what followed', () => {
    const stamp = { type: 'hook', data: { hook: { script: '', blocking: true } } }
    const { graph, id } = appendNode(draw('s>c'), kinds, 'tools/call', 's', stamp)
    expect(wires(graph)).toEqual([`${id}>c`, `s>${id}`].sort())
  })

  test.each([
    ['in the middle', draw('s>h', 'h>c', 'c>e'), ['h'], ['c>e', 's>c']],
    ['two in a row', draw('s>h', 'h>i', 'i>c', 'c>e'), ['h', 'i'], ['c>e', 's>c']],
    ['with a side hook', draw('s>h', 'h>f', 'h>c', 'c>e'), ['h'], ['c>e', 's>c', 's>f']],
    ['after a condition', draw('s>?', '?>true>h', '?>false>c', 'h>c'), ['h'], ['?>false>c', '?>true>c', 's>?']],
    ['a condition', draw('s>?', '?>true>h', '?>false>c', 'h>c'), ['?'], ['h>c', 's>h']],
    ['what has to be there', draw('s>c', 'c>e'), ['s', 'c', 'e'], ['c>e', 's>c']],
  ])('deleting a node %s heals the line', (_, graph, ids, expected) => {
    expect(wires(deleteParts(graph, kinds, 'tools/call', new Set(ids), NONE))).toEqual(expected)
  })

  test('an edge that is deleted stays away', () => {
    expect(wires(deleteParts(draw('s>c', 'c>e'), kinds, 'tools/call', NONE, new Set(['s>c'])))).toEqual(['c>e'])
  })

  test('a hook that becomes fire and forget leaves the line and hangs off the node before', () => {
    const after = turnHook(draw('s>h', 'h>c', 'c>e'), kinds, 'tools/call', 'h', false)
    expect(wires(after)).toEqual(['c>e', 's>c', 's>h'])
    expect(outputsOf(after, 'h')).toEqual([])
    expect(nodeOf(after, 'h')?.data['hook']).toMatchObject({ blocking: false })
  })

  test('a new graph has its nodes, not deletable, and no edges', () => {
    const types = (graph: Graph) => graph.nodes.map((node) => node.type)
    expect(types(blankGraph('tools/call'))).toEqual(['start', 'mcp-call', 'end'])
    expect(types(blankGraph('session'))).toEqual(['start', 'end'])
    expect(blankGraph('tools/list').nodes.every((node) => node['deletable'] === false)).toBe(true)
    expect(blankGraph('tools/list').edges).toEqual([])
  })

  test('new nodes do not cover others', () => {
    const stamp = { type: 'hook', data: {} }
    const first = placeNode(blankGraph('tools/call'), stamp, { x: 0, y: 200 })
    expect(nodeOf(first.graph, first.id)?.position).not.toEqual({ x: 0, y: 200 })
  })

  test('tidying puts a line from left to right and changes nothing else', async () => {
    const graph = draw('c>e', 's>h', 'h>c')
    const tidy = await tidied(graph)
    const x = (id: string) => nodeOf(tidy, id)?.position.x ?? Number.NaN
    expect(x('s')).toBeLessThan(x('h'))
    expect(x('h')).toBeLessThan(x('c'))
    expect(x('c')).toBeLessThan(x('e'))
    expect(tidy.edges).toBe(graph.edges)
  })

  test('tidying puts what follows true above what follows false', async () => {
    const above = async (upper: string, lower: string, ...edges: string[]) => {
      const tidy = await tidied(draw(...edges))
      const y = (id: string) => nodeOf(tidy, id)?.position.y ?? Number.NaN
      expect(y(upper), edges.join(' ')).toBeLessThan(y(lower))
    }
    await above('a', 'b', 's>?', '?>true>a', '?>false>b', 'a>c', 'b>c', 'c>e')
    await above('a', 'b', 's>?', '?>false>b', '?>true>a', 'b>c', 'a>c', 'c>e')
    // One way is longer than the other, or leads straight to where both meet.
    await above('a', 'b', 's>?', '?>false>b', 'b>d', 'd>c', '?>true>a', 'a>c', 'c>e')
    await above('a', '?', 's>?', '?>false>c', '?>true>a', 'a>c', 'c>e')
    await above('?', 'a', 's>?', '?>true>c', '?>false>a', 'a>c', 'c>e')
    // Conditions inside of both ways, against the order in which they are listed.
    const inner = ['s>?', '?>false>?2', '?>true>?1', '?2>false>k', '?2>true>j', '?1>false>i', '?1>true>h', 'h>c', 'i>c', 'j>c', 'k>c', 'c>e']
    for (const [upper, lower] of [['?1', '?2'], ['h', 'i'], ['i', 'j'], ['j', 'k']] as const) await above(upper, lower, ...inner)
  })
})

describe('clipboard', () => {
  const at = { x: 40, y: 40 }

  test('a part goes to another graph with new ids and its inner edges', () => {
    const from = draw('s>h', 'h>i', 'i>c')
    const part = readText(copyText(from, new Set(['h', 'i'])))
    const { graph, added, left } = paste(draw('s>c'), part ?? { nodes: [], edges: [] }, kinds, 'tools/call', at)
    expect([added.size, left]).toEqual([2, 0])
    expect(added.has('h')).toBe(false)
    expect(graph.edges.filter((edge) => added.has(edge.source) && added.has(edge.target))).toHaveLength(1)
    for (const id of added) expect(nodeOf(graph, id)?.data['hook']).toMatchObject({ id })
  })

  test('a constant that reads as a draft does stays a constant, in a part and in a whole workflow', () => {
    const set = [{ name: 'a', value: { $draft: 'x' } }, { name: 'b', value: new Draft('[1,') }]
    const from = readGraph([{ id: 'v', type: 'variable', data: { set } }], [])
    expect(nodeOf(readText(copyText(from, new Set(['v']))) ?? from, 'v')?.data).toEqual({ set })
    const whole = JSON.stringify({ name: 'w', nodes: [{ id: 'v', type: 'variable', data: { value: { $draft: 'x' } } }] })
    expect(readText(whole)?.nodes[0]?.data).toEqual({ value: { $draft: 'x' } })
  })

  test('nodes that share an id get one each, and the edges go to the first', () => {
    const twins = readGraph([{ id: 'h', type: 'hook' }, { id: 'h', type: 'hook' }, { id: 'k', type: 'hook' }], [{ source: 'h', target: 'k' }])
    const { graph, added } = paste(blankGraph('tools/call'), twins, kinds, 'tools/call', { x: 0, y: 0 })
    const [first, second, third] = graph.nodes.slice(-3).map(({ id }) => id)
    expect(new Set([first, second, third])).toEqual(added)
    expect(added.size).toBe(3)
    expect(graph.edges).toMatchObject([{ source: first, target: third }])
  })

  test('what cannot be there twice, and what has no place in such a workflow, is left out and counted', () => {
    const part = draw('s>h', 'h>c')
    expect(paste(draw('s>c'), part, kinds, 'tools/call', at)).toMatchObject({ left: 2 })
    expect(paste(blankGraph('session'), part, kinds, 'session', at)).toMatchObject({ left: 3 })
  })

  test('a condition goes to a session, with its ways', () => {
    const { graph, added, left } = paste(blankGraph('session'), draw('?>true>h', '?>false>?2'), kinds, 'session', at)
    expect([added.size, left, graph.edges.map((edge) => edge.sourceHandle)]).toEqual([2, 1, ['false']])
  })

  test('other text is not taken for a graph', () => {
    for (const text of ['', 'hello', '{', '[]', '{"nodes":1}']) expect(readText(text)).toBeUndefined()
  })
})
