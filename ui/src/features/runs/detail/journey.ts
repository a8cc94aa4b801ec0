/** What came to each node of a run and what left it, rebuilt from what each of them changed. */
import type { Graph } from '../../../shared/lib/graph'
import { type NodeRun, type Run, timeOf } from '../../../shared/lib/run'

export interface Passage {
  readonly id: string
  readonly node: NodeRun
  /** The parameters of the request before and after it. */
  readonly params: readonly [unknown, unknown]
  /** The reply before and after it; nothing before the call. */
  readonly response: readonly [unknown, unknown]
}

/**
 * The nodes in the order in which they ran; those that did not run come last. The graph tells which of them makes the
 * call.
 */
export function journeyOf(run: Run, graph: Graph): Passage[] {
  const call = graph.nodes.find((node) => node.type === 'mcp-call')?.id
  const all = Object.entries(run.results)
  // The record lists nodes in the order of the way, and the sort keeps it among those that began at the same moment.
  const ran = all.filter(([, node]) => node.state !== 'skipped').sort(([, a], [, b]) => (a.startedAt ?? 0) - (b.startedAt ?? 0))
  let params = (run.context as { request?: { params?: unknown } }).request?.params
  let response: unknown
  const passed = ran.map(([id, node]): Passage => {
    const [asked, replied] = [params, response]
    const changes = node.changes ?? {}
    if ('params' in changes) params = changes['params']
    if ('response' in changes) response = changes['response']
    else if (id === call && run.mcpResult !== null) response = run.mcpResult
    return { id, node, params: [asked, params], response: [replied, response] }
  })
  const idle = all.filter(([, node]) => node.state === 'skipped')
  return [...passed, ...idle.map(([id, node]): Passage => ({ id, node, params: [params, params], response: [response, response] }))]
}

/** The nodes that a run may still come to: those after one that runs. A way that a condition did not take is not among them. */
export function aheadOf(run: Run, graph: Graph): Set<string> {
  const ahead = new Set<string>()
  if (run.status !== 'running') return ahead
  const open = Object.entries(run.results).flatMap(([id, { state }]) => (state === 'running' ? [id] : []))
  // Between two nodes none runs, and nothing is ruled out.
  if (open.length === 0) return new Set(graph.nodes.map(({ id }) => id))
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const { source, target } of graph.edges) {
      if (source !== from || ahead.has(target)) continue
      ahead.add(target)
      open.push(target)
    }
  }
  return ahead
}

/** Where a node's bar stands on the timeline, in shares of the whole. */
export interface Bar {
  readonly left: number
  readonly width: number
}

/** The bars of a run, by node. */
export function barsOf(run: Run): Map<string, Bar> {
  const spans = Object.entries(run.results).flatMap(([id, node]) => {
    if (node.state === 'skipped' || node.startedAt === null) return []
    const from = typeof node.startedMicros === 'number' ? node.startedMicros / 1000 : node.startedAt - run.executedAt
    return [{ id, from, time: timeOf(node) ?? Math.max(0, run.durationMs - from) }]
  })
  const whole = Math.max(run.durationMs, ...spans.map(({ from, time }) => from + time), 0.001)
  return new Map(spans.map(({ id, from, time }) => [id, { left: from / whole, width: time / whole }]))
}
