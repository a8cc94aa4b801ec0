import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { Draft } from '../../../shared/lib/json'
import { blankGraph } from './edits'
import { addEdge, type Graph, readGraph } from './graph'
import { findProblems, joined, RULES, type Told } from './problems'
import { problemSaying, ruled } from './reasons'
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

const activity = (id: string) => ({ id, type: 'activity', position: { x: 0, y: 0 }, data: { label: id, step: { activity: 'x' } } })

/** A session with the nodes `a` and `b`, a condition `q`, and these edges, such as `q>true>a`. */
function session(...edges: string[]): string[] {
  const wires = edges.map((edge) => edge.split('>')).map((words) => ({ source: words[0], target: words.at(-1), ...(words.length === 3 ? { sourceHandle: words[1] } : {}) }))
  const used = new Set(wires.flatMap(({ source, target }) => [source, target]))
  const q = { id: 'q', type: 'condition', data: { expression: 'input.x' } }
  const nodes = [...blankGraph('session').nodes, activity('a'), activity('b'), q, { id: 'h', type: 'hook', data: {} }]
  return sentences(readGraph(nodes.filter(({ id }) => used.has(id)), wires), 'session')
}

test('a session needs no call, and at least one step', () => {
  expect(session('start>a', 'a>end')).toEqual([])
  expect(session('start>end')).toEqual(['step-missing'])
})

test('in a session only a condition has two ways, and they may meet again', () => {
  expect(session('start>q', 'q>true>a', 'q>false>b', 'a>end', 'b>end')).toEqual([])
  expect(session('start>q', 'q>true>a', 'q>false>b', 'a>b', 'b>end')).toEqual([])
  expect(session('start>a', 'a>q', 'q>true>end', 'q>false>end')).toEqual([])
  expect(session('start>a', 'start>b', 'a>end', 'b>end')).toEqual(['output-many start', 'input-many end'])
})

test('a condition of a session needs both ways, and no other output', () => {
  expect(session('start>a', 'a>q', 'q>true>end')).toEqual(['way-missing q'])
  expect(session('start>a', 'a>q', 'q>true>b', 'q>true>end', 'q>false>end', 'b>end')).toEqual(['way-twice q'])
  expect(session('start>a', 'a>q', 'q>true>b', 'q>false>end', 'q>end', 'b>end')).toEqual(['way-odd q'])
  expect(session('start>a', 'a>end', 'start>q')).toEqual(['output-many start', 'way-missing q', 'way-missing q', 'off-path q'])
  expect(session('start>q', 'q>true>a', 'q>false>b', 'a>q', 'b>end')).toContain('cycle')
})

test('a node that has no place in such a workflow is told', () => {
  expect(session('start>a', 'a>h', 'h>end')).toEqual(['no-place h'])
  const graph = readGraph([...line.nodes, activity('a')], [{ source: 'start', target: 'a' }, { source: 'a', target: 'mcp-call' }, { source: 'mcp-call', target: 'end' }])
  expect(sentences(graph)).toEqual(['session-only a'])
})

test('every node of a session leads on', () => {
  expect(sentences(blankGraph('session'), 'session')).toEqual(['step-missing', 'output-needed start', 'input-needed end'])
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
  const told: Told[] = [
    { code: 'no-path-to-call', severity: 'error', message: 'No path from Start to MCP Call' },
    { code: 'script', severity: 'error', message: "Node 'h' has a script that does not compile", node: 'h' },
  ]
  expect(joined(local, told).map((one) => one.sentence)).toEqual(['no-path-to-call', 'server'])
  expect(joined(local, undefined)).toEqual(local)
})

test('what cannot be read yet is a problem that only the page has, also after the gateway has looked', () => {
  const half = { id: 'v', type: 'variable', data: { label: 'V', set: [{ name: 'a', value: new Draft('[1,') }] } }
  const local = findProblems(readGraph([...line.nodes, half], line.edges), kinds, 'tools/call')
  expect(local.map(({ sentence }) => sentence)).toContain('unread')
  const [unread] = joined(local, [])
  expect(unread && problemSaying('en', unread).text).toBe('“V” has a value that cannot be read yet.')
  expect(joined(local, [{ code: 'data', severity: 'error', message: 'x', node: 'v' }]).map(({ sentence }) => sentence)).toEqual(['unread', 'server'])
})

test('every rule of the gateway has words of its own', () => {
  const source = readFileSync(resolve(import.meta.dirname, '../../../../../crates/workflow/src/problem.rs'), 'utf8')
  const body = /pub enum Rule \{(.*?)\n\}/s.exec(source)?.[1] ?? ''
  const names = [...body.matchAll(/^ {4}([A-Z]\w+),/gm)].map(([, name = '']) => name.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase())
  expect([...RULES]).toEqual(names)
  for (const rule of RULES) expect(ruled[rule]('x'), rule).toMatch(/。$/)
})

test('what only the gateway finds is told in the language of the page, with its own words below', () => {
  const nodes = readGraph([{ id: 'h', type: 'hook', data: { label: 'Guard' } }], []).nodes
  const message = "Node 'h' (Guard) has a script that does not compile"
  const [script] = joined([], [{ code: 'script', severity: 'error', message, node: 'h' }], nodes)
  expect(script && problemSaying('ja', script)).toEqual({ text: '「Guard」のスクリプトを確認してください。', own: message })
  expect(script && problemSaying('en', script)).toEqual({ text: message })
})

test('each way that a condition lacks is told, by its name', () => {
  const lone = { id: 'q', type: 'condition', position: { x: 0, y: 0 }, data: { expression: '1' } }
  const found = findProblems(addEdge(readGraph([...line.nodes, lone], line.edges), 'start', 'q'), kinds, 'tools/call')
  const missing = found.filter(({ sentence }) => sentence === 'way-missing')
  expect(missing.map((problem) => problemSaying('ja', problem).text)).toEqual(['「q」には真の経路が必要です。', '「q」には偽の経路が必要です。'])
  // The gateway tells both too, and both stay in our words.
  const told: Told[] = missing.map(({ code, severity, node = '' }, at) => ({ code, severity, node, message: `Node 'q' needs a way for ${at === 0}` }))
  expect(joined(missing, told)).toEqual(missing)
})

test('the problems of two nodes of one label name each by its id', () => {
  const blank = (id: string) => ({ id, type: 'hook', data: { label: 'Hook', hook: { script: '' } } })
  const graph = readGraph([...line.nodes, blank('hook-a1'), blank('hook-b2')], [...line.edges])
  const labels = findProblems(graph, kinds, 'tools/call').filter(({ sentence }) => sentence === 'no-script').map(({ label }) => label)
  expect(labels).toEqual(['Hook (hook-a1)', 'Hook (hook-b2)'])
  const told: Told[] = [{ code: 'script', severity: 'error', message: 'x', node: 'hook-b2' }]
  expect(joined([], told, graph.nodes)[0]?.label).toBe('Hook (hook-b2)')
})
