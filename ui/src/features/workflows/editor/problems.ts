/**
 * Everything that keeps a graph from being activated, as far as it can be told without the server (spec 3.3). The
 * server has the last word: it compiles scripts too. Codes are those of `POST /api/workflows/validate`.
 */
import { holdsDraft, recordOf } from '../../../shared/lib/values'
import { type Graph, type GraphNode, namesOf } from './graph'
import { fits, type Kinds, type Role, roleOf, WAYS, type WorkflowType } from './rules'

/** Which sentence says it; the details fill its gaps. */
export type Sentence =
  | 'start-missing'
  | 'call-missing'
  | 'end-missing'
  | 'step-missing'
  | 'no-path-to-call'
  | 'no-path-to-end'
  | 'cycle'
  | 'unknown-type'
  | 'no-place'
  | 'session-only'
  | 'input-none'
  | 'input-needed'
  | 'input-many'
  | 'end-output'
  | 'output-needed'
  | 'output-many'
  | 'side-output'
  | 'way-missing'
  | 'way-twice'
  | 'way-lost'
  | 'way-odd'
  | 'same-id'
  | 'loose-edge'
  | 'more-than-one'
  | 'off-path'
  | 'split'
  | 'no-script'
  | 'no-expression'
  | 'no-values'
  | 'no-activity'
  | 'unread'
  | 'server'

/** The rules of `POST /api/workflows/validate`. */
export const RULES = [
  'start-missing',
  'call-missing',
  'end-missing',
  'step-missing',
  'no-path-to-call',
  'no-path-to-end',
  'cycle',
  'unknown-type',
  'misplaced',
  'inputs',
  'outputs',
  'same-id',
  'loose-edge',
  'more-than-one',
  'off-path',
  'split',
  'around-call',
  'name',
  'name-taken',
  'activity',
  'data',
  'script',
  'no-effect',
] as const

export type Rule = (typeof RULES)[number]

export type Problem = {
  readonly code: Rule
  readonly severity: 'error' | 'warning'
  readonly sentence: Sentence
  readonly node?: string
  readonly edge?: string
  /** The label of the node, or the name of what is meant. */
  readonly label?: string
  readonly detail?: string
  /** The server's own words. */
  readonly message?: string
}

type Spot = {
  readonly node: GraphNode
  readonly role: Role | undefined
  /** Whether it has a place in such a workflow. */
  readonly fits: boolean
  readonly twin: boolean
  readonly inputs: number[]
  readonly outputs: { to: number; way: string | null | undefined }[]
}

type NameOf = ReturnType<typeof namesOf>

type Chart = { readonly spots: readonly Spot[]; readonly loose: readonly { edge: string; name: string }[] }

/** The problems of a graph, those of the whole first. */
export function findProblems(graph: Graph, kinds: Kinds, type: WorkflowType): Problem[] {
  const chart = chartOf(graph, kinds, type)
  const nameOf = namesOf(graph)
  const all = (role: Role) => chart.spots.flatMap((spot, at) => (spot.role === role && !spot.twin ? [at] : []))
  const [starts, calls, ends] = [all('start'), all('call'), all('end')]
  const [after, before] = [flood(chart, starts, 'outputs'), flood(chart, ends, 'inputs')]
  const onWay = chart.spots.map((spot, at) => after.has(at) && before.has(at) && spot.role !== 'side')
  const parts = all('choice').length > 0
  return [
    ...wholeProblems(chart, type, starts, calls, ends),
    ...chart.spots.flatMap((spot, at) => spotProblems(spot, at, onWay, parts, type, nameOf)),
    ...unreadProblems(graph),
    ...chart.loose.map(({ edge, name }) => problem('loose-edge', 'loose-edge', { edge, label: edge, detail: name })),
    ...[starts, calls, ends].flatMap((many) => many.slice(1).map((at) => tooMany(chart, at, nameOf))),
  ]
}

/** Nodes with a text that was typed and cannot be read yet. The gateway never gets to see it. */
export function unreadProblems(graph: Graph): Problem[] {
  const nameOf = namesOf(graph)
  return graph.nodes.flatMap(({ id, data }) => (holdsDraft(data) ? [problem('data', 'unread', { node: id, label: nameOf(id) })] : []))
}

function chartOf(graph: Graph, kinds: Kinds, type: WorkflowType): Chart {
  const places = new Map<string, number>()
  const spots = graph.nodes.map((node, at): Spot => {
    const twin = places.has(node.id)
    if (!twin) places.set(node.id, at)
    return { node, role: roleOf(node, kinds), fits: fits(node, kinds, type), twin, inputs: [], outputs: [] }
  })
  const loose: { edge: string; name: string }[] = []
  for (const edge of graph.edges) {
    const [from, to] = [places.get(edge.source), places.get(edge.target)]
    if (from === undefined) loose.push({ edge: edge.id, name: edge.source })
    if (to === undefined) loose.push({ edge: edge.id, name: edge.target })
    if (from === undefined || to === undefined) continue
    spots[from]?.outputs.push({ to, way: edge.sourceHandle })
    spots[to]?.inputs.push(from)
  }
  return { spots, loose }
}

function flood(chart: Chart, begin: readonly number[], along: 'inputs' | 'outputs'): Set<number> {
  const seen = new Set<number>()
  const open = [...begin]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const spot = chart.spots[at]
    if (!spot) continue
    open.push(...(along === 'inputs' ? spot.inputs : spot.outputs.map(({ to }) => to)))
  }
  return seen
}

function wholeProblems(chart: Chart, type: WorkflowType, starts: number[], calls: number[], ends: number[]): Problem[] {
  const found: Problem[] = []
  const say = (sentence: Sentence & Rule) => found.push(problem(sentence, sentence))
  const session = type === 'session'
  if (starts.length === 0) say('start-missing')
  if (calls.length === 0 && !session) say('call-missing')
  if (ends.length === 0) say('end-missing')
  if (session && !chart.spots.some((spot) => spot.role === 'step' && spot.fits)) say('step-missing')
  const leads = (from: number[], to: number[]) => {
    const reached = flood(chart, from, 'outputs')
    return from.length === 0 || to.length === 0 || to.some((at) => reached.has(at))
  }
  if (!session && !leads(starts, calls)) say('no-path-to-call')
  if (!session && !leads(calls, ends)) say('no-path-to-end')
  if (hasCycle(chart)) say('cycle')
  return found
}

function hasCycle(chart: Chart): boolean {
  const waits = chart.spots.map((spot) => spot.inputs.length)
  const ready = waits.flatMap((count, at) => (count === 0 ? [at] : []))
  let done = 0
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    done += 1
    for (const { to } of chart.spots[at]?.outputs ?? []) {
      const left = (waits[to] ?? 0) - 1
      waits[to] = left
      if (left === 0) ready.push(to)
    }
  }
  return done < chart.spots.length
}

function spotProblems(spot: Spot, at: number, onWay: readonly boolean[], parts: boolean, type: WorkflowType, nameOf: NameOf): Problem[] {
  const { node, role } = spot
  const say = (code: Rule, sentence: Sentence, detail?: string) =>
    problem(code, sentence, { node: node.id, label: nameOf(node.id), ...(detail === undefined ? {} : { detail }) })
  if (spot.twin) return [say('same-id', 'same-id')]
  if (role === undefined) return [say('unknown-type', 'unknown-type', node.type)]
  const session = type === 'session'
  if (!spot.fits) return [say('misplaced', session ? 'no-place' : 'session-only')]
  const found: Problem[] = []
  const count = spot.inputs.length
  const meets = parts && role !== 'side' && onWay[at] === true && spot.inputs.every((from) => onWay[from])
  if (role === 'start') {
    if (count > 0) found.push(say('inputs', 'input-none'))
  } else if (count === 0) found.push(say('inputs', 'input-needed'))
  else if (count > 1 && !meets) found.push(say('inputs', 'input-many', String(count)))
  if (session && (role === 'start' || role === 'step')) found.push(...lineProblems(spot, say))
  if (role === 'end' && spot.outputs.length > 0) found.push(say('outputs', 'end-output'))
  if (role === 'side' && spot.outputs.length > 0) found.push(say('outputs', 'side-output'))
  if (role === 'choice') found.push(...wayProblems(spot, onWay, say))
  if ((role === 'step' || role === 'choice') && !onWay[at]) found.push(say('off-path', 'off-path'))
  const onward = spot.outputs.filter(({ to }) => onWay[to]).length
  if (!session && role !== 'choice' && onWay[at] && onward > 1) found.push(say('split', 'split'))
  return [...found, ...dataProblems(node, say)]
}

type Say = (code: Rule, sentence: Sentence, detail?: string) => Problem

/** A session goes on by one output, except at conditions. */
function lineProblems({ outputs }: Spot, say: Say): Problem[] {
  if (outputs.length === 0) return [say('outputs', 'output-needed')]
  return outputs.length > 1 ? [say('outputs', 'output-many', String(outputs.length))] : []
}

function wayProblems(spot: Spot, onWay: readonly boolean[], say: Say): Problem[] {
  const found = WAYS.flatMap((way) => {
    const targets = spot.outputs.filter((output) => output.way === way)
    const first = targets[0]
    if (!first) return [say('outputs', 'way-missing', way)]
    if (targets.length > 1) return [say('outputs', 'way-twice', way)]
    return onWay[first.to] ? [] : [say('outputs', 'way-lost', way)]
  })
  return found.length === 0 && spot.outputs.length > WAYS.length ? [say('outputs', 'way-odd')] : found
}

function dataProblems({ type, data }: GraphNode, say: Say): Problem[] {
  const blank = (value: unknown) => typeof value !== 'string' || value.trim() === ''
  if (type === 'hook') {
    const { script, hookModuleId } = recordOf(data['hook'])
    return blank(script) && blank(hookModuleId) ? [say('data', 'no-script')] : []
  }
  if (type === 'condition') return blank(data['expression']) ? [say('data', 'no-expression')] : []
  if (type === 'variable') {
    return Array.isArray(data['set']) && data['set'].length > 0 ? [] : [say('data', 'no-values')]
  }
  if (type === 'activity') {
    const { activity, parallel } = recordOf(data['step'])
    return blank(activity) && !Array.isArray(parallel) ? [say('data', 'no-activity')] : []
  }
  return []
}

function tooMany(chart: Chart, at: number, nameOf: NameOf): Problem {
  const node = chart.spots[at]?.node
  if (!node) return problem('more-than-one', 'more-than-one')
  return problem('more-than-one', 'more-than-one', { node: node.id, label: nameOf(node.id) })
}

function problem(code: Rule, sentence: Sentence, more: Partial<Problem> = {}): Problem {
  return { code, severity: 'error', sentence, ...more }
}

/** A problem as the server tells it. */
export type Told = { code: Rule; severity: 'error' | 'warning'; message: string; node?: string; edge?: string }

/** What the server told, in the page's own words where it has them. */
export function joined(local: readonly Problem[], told: readonly Told[] | undefined, nodes: readonly GraphNode[] = []): Problem[] {
  if (!told) return [...local]
  const key = (one: { code: string; node?: string; edge?: string }) => `${one.code}|${one.node ?? ''}|${one.edge ?? ''}`
  const known = new Map<string, Problem[]>()
  for (const one of local) if (one.sentence !== 'unread') known.set(key(one), [...(known.get(key(one)) ?? []), one])
  const nameOf = namesOf({ nodes })
  const label = (one: Told) => (one.node === undefined ? (one.edge ?? '') : nameOf(one.node))
  const unread = local.filter(({ sentence }) => sentence === 'unread')
  const found = told.map((one) => known.get(key(one))?.shift() ?? { ...one, sentence: 'server' as const, label: label(one) })
  return [...unread, ...found]
}
