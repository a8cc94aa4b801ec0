/** A workflow's graph as the API gives it, and how it is read without losing what this version does not know. */
import { apart } from './apart'
import { isRecord, recordOf } from './values'

export interface Position {
  readonly x: number
  readonly y: number
}

/** What a kind of node keeps; keys that are not known here stay as they are. */
export type NodeData = { readonly label?: string; readonly [key: string]: unknown }

export type GraphNode = {
  readonly id: string
  readonly type: string
  readonly position: Position
  readonly data: NodeData
  readonly [key: string]: unknown
}

export type GraphEdge = {
  readonly id: string
  readonly source: string
  readonly target: string
  /** The output it leaves by: `true` or `false` of a condition. */
  readonly sourceHandle?: string | null
  readonly [key: string]: unknown
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** Every node has this size on the canvas, so that nothing has to be measured. */
export const NODE = { width: 172, height: 56 } as const

/** The room between two nodes of a line. */
export const GAP = { x: 60, y: 44 } as const

/** A graph with the ids, positions and data that the API may leave out. */
export function readGraph(nodes: readonly unknown[], edges: readonly unknown[]): Graph {
  const taken = new Set<string>()
  const readEdge = (raw: unknown): GraphEdge => {
    const edge = recordOf(raw)
    const source = text(edge['source'], '')
    const target = text(edge['target'], '')
    let id = text(edge['id'], `${source}-${target}`)
    while (taken.has(id)) id = `${id}'`
    taken.add(id)
    return { ...edge, id, source, target }
  }
  return { nodes: nodes.map(readNode), edges: edges.map(readEdge) }
}

function readNode(raw: unknown, index: number): GraphNode {
  const node = recordOf(raw)
  const position = recordOf(node['position'])
  const at = { x: number(position['x'], index * (NODE.width + GAP.x)), y: number(position['y'], 0) }
  return {
    ...node,
    id: text(node['id'], `node-${index}`),
    type: text(node['type'], 'hook'),
    position: { ...position, ...at },
    data: recordOf(node['data']),
  }
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}

/** What people call a node. */
export function labelOf(node: GraphNode): string {
  const label = node.data.label
  return typeof label === 'string' && label.trim() !== '' ? label : node.id
}

const named = new WeakMap<readonly GraphNode[], ReadonlyMap<string, string>>()

/** What people call the nodes of a graph where they stand in a list: those of one label are told apart by their ids. */
export function namesOf({ nodes }: Pick<Graph, 'nodes'>): (id: string) => string {
  const names = named.get(nodes) ?? new Map(apart(nodes, labelOf, ({ id }) => id).map((name, at) => [nodes[at]?.id ?? '', name]))
  named.set(nodes, names)
  return (id) => names.get(id) ?? id
}

/** The room that nodes take. */
export function boundsOf(nodes: readonly GraphNode[]): { x: number; y: number; width: number; height: number } {
  if (nodes.length === 0) return { x: 0, y: 0, width: 0, height: 0 }
  const xs = nodes.map((node) => node.position.x)
  const ys = nodes.map((node) => node.position.y)
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) + NODE.width - x, height: Math.max(...ys) + NODE.height - y }
}

/** Whether a node is a hook that nobody waits for. */
export function isAside(node: GraphNode): boolean {
  return node.type === 'hook' && recordOf(node.data['hook'])['blocking'] === false
}

/** The steps of a session workflow, each after those that may come before it, as the gateway counts them. */
export function stepNodes(graph: Graph): GraphNode[] {
  return orderOf(graph).filter(({ type }) => type === 'activity')
}

/** The nodes from the start on, each after those that lead to it; of two ways that for true comes first. */
function orderOf({ nodes, edges }: Graph): GraphNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const next = targetsOf(edges)
  const seen = new Set<string>()
  const open: { node: GraphNode; left: string[] }[] = []
  const enter = (node: GraphNode | undefined) => {
    if (!node || seen.has(node.id)) return
    seen.add(node.id)
    open.push({ node, left: next.get(node.id) ?? [] })
  }
  const done: GraphNode[] = []
  enter(nodes.find(({ type }) => type === 'start'))
  for (let top = open.at(-1); top; top = open.at(-1)) {
    // From the last way to the first, since what is done first comes last.
    const id = top.left.pop()
    if (id !== undefined) enter(byId.get(id))
    else {
      done.push(top.node)
      open.pop()
    }
  }
  return done.reverse()
}

/** Where each node leads, the way for true first. */
function targetsOf(edges: readonly GraphEdge[]): Map<string, string[]> {
  const targets = new Map<string, string[]>()
  for (const { source, target, sourceHandle } of edges) {
    const known = targets.get(source) ?? []
    targets.set(source, sourceHandle === 'true' ? [target, ...known] : [...known, target])
  }
  return targets
}

/** The activity that every session of a workflow begins with; none where a condition comes first. */
export function firstActivity(graph: Graph): string | undefined {
  const activity = firstStep(graph)?.['activity']
  return typeof activity === 'string' ? activity : undefined
}

/** Whether the first step makes an input of its own, so that not all that its activity needs has to be given. */
export function fillsInput(graph: Graph): boolean {
  const step = firstStep(graph)
  return Boolean(step?.['input'] ?? step?.['inputMapper'])
}

function firstStep({ nodes, edges }: Graph): Record<string, unknown> | undefined {
  const start = nodes.find(({ type }) => type === 'start')
  const next = edges.find(({ source }) => source === start?.id)?.target
  const step = nodes.find(({ id }) => id === next)?.data['step']
  return isRecord(step) ? step : undefined
}
