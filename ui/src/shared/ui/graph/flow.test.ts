import { expect, test } from 'vitest'
import { readGraph } from '../../lib/graph'
import { flowMaker, portsOf } from './flow'

const types = { s: 'start', h: 'hook', c: 'mcp-call', q: 'condition', e: 'end' }
const nodes = Object.entries(types).map(([id, type]) => ({ id, type }))
const maker = () => flowMaker({ ports: portsOf, say: ({ id }) => id, sayEdge: ({ id }) => id })

/** The id of the handle at which the canvas lets an edge begin; what names one that is not there is not drawn. */
function begins(source: string, sourceHandle?: string): string | null | undefined {
  const graph = readGraph(nodes, [{ source, target: 'e', ...(sourceHandle === undefined ? {} : { sourceHandle }) }])
  const made = maker()
  const handles = made.nodes(graph, new Set()).find(({ id }) => id === source)?.handles ?? []
  const [edge] = made.edges(graph, new Set())
  const [first, ...rest] = handles.filter(({ type }) => type === 'source')
  const found = edge?.sourceHandle ? [first, ...rest].find((handle) => handle?.id === edge.sourceHandle) : first
  return found && (found.id ?? null)
}

test.each(['right', 'out', 'default', 'true', 'h-source', '', undefined])('an edge is drawn by whatever name its one output has: %s', (name) => {
  for (const source of ['s', 'h', 'c']) expect(begins(source, name), source).toBeNull()
})

test('an edge leaves a condition by its way, and is not lost where it names none', () => {
  expect([begins('q', 'true'), begins('q', 'false'), begins('q', 'maybe'), begins('q')]).toEqual(['true', 'false', 'true', 'true'])
})

test('only edges that changed are drawn again', () => {
  const graph = readGraph(nodes, [{ id: 'a', source: 's', target: 'h', sourceHandle: 'out' }, { id: 'b', source: 'q', target: 'e', sourceHandle: 'true' }])
  const made = maker()
  const before = made.edges(graph, new Set())
  const after = made.edges({ ...graph }, new Set(['b']))
  expect(after.map((edge, index) => edge === before[index])).toEqual([true, false])
})
