import { expect, test } from 'vitest'
import { blankGraph } from './edits'
import { addEdge, type Graph, readGraph } from './graph'
import { findProblems, joined } from './problems'
import { kindsOf, type WorkflowType } from './rules'

const kinds = kindsOf([])

function sentences(graph: Graph, type: WorkflowType = 'tools/call'): string[] {
  return findProblems(graph, kinds, type).map(({ sentence, node }) => (node ? `${sentence} ${node}` : sentence))
}

const line = addEdge(addEdge(blankGraph('tools/call'), 'start', 'mcp-call'), 'mcp-call', 'end')

test('a line from start over the call to end has no problem', () => {
  expect(sentences(line)).toEqual([])
})

test('a new graph names everything that is missing', () => {
  expect(sentences(blankGraph('tools/call'))).toEqual([
    'no-path-to-call',
    'no-path-to-end',
    'input-needed mcp-call',
    'input-needed end',
  ])
  expect(sentences({ nodes: [], edges: [] })).toEqual(['start-missing', 'call-missing', 'end-missing'])
})

test('a session needs no call', () => {
  expect(sentences(addEdge(blankGraph('session'), 'start', 'end'), 'session')).toEqual([])
})

test('every node of a session leads on', () => {
  expect(sentences(blankGraph('session'), 'session')).toEqual(['no-path-to-end', 'output-needed start', 'input-needed end'])
})

test('a blocking hook off the way and one without a script are told', () => {
  const nodes = [...line.nodes, { id: 'h', type: 'hook', data: { hook: { script: ' ', blocking: true } } }]
  expect(sentences(addEdge(readGraph(nodes, line.edges), 'start', 'h'))).toEqual(['off-path h', 'no-script h'])
})

test('a condition needs both ways, and they may meet', () => {
  const nodes = [...blankGraph('tools/call').nodes, { id: 'q', type: 'condition', data: { expression: '1' } }]
  const half = readGraph(nodes, [
    { source: 'start', target: 'q' },
    { source: 'q', target: 'mcp-call', sourceHandle: 'true' },
    { source: 'mcp-call', target: 'end' },
  ])
  expect(sentences(half)).toEqual(['way-missing q'])
  expect(sentences(addEdge(half, 'q', 'mcp-call', 'false'))).toEqual([])
})

test('loose edges, twins, circles, unknown types and extra nodes are told', () => {
  const twin = { id: 'end', type: 'end', position: { x: 0, y: 0 }, data: {} }
  const odd = { id: 'z', type: 'zebra', position: { x: 0, y: 0 }, data: {} }
  const second = { id: 'start2', type: 'start', position: { x: 0, y: 0 }, data: {} }
  const graph = readGraph([...line.nodes, twin, odd, second], [...line.edges, { id: 'l', source: 'end', target: 'no' }])
  expect(sentences(graph)).toEqual(['same-id end', 'unknown-type z', 'loose-edge', 'more-than-one start2'])
  expect(sentences(addEdge(line, 'end', 'mcp-call'))).toContain('cycle')
})

test('what the server tells is said in our words where we have them', () => {
  const local = findProblems(blankGraph('tools/call'), kinds, 'tools/call')
  const told = [
    { code: 'no-path-to-call', severity: 'error' as const, message: 'No path from Start to MCP Call' },
    { code: 'script', severity: 'error' as const, message: "Node 'h' has a script that does not compile", node: 'h' },
  ]
  expect(joined(local, told).map((one) => one.sentence)).toEqual(['no-path-to-call', 'server'])
  expect(joined(local, undefined)).toEqual(local)
})
