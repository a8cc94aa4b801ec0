import { type Edge, MarkerType, type Node, Position } from '@xyflow/react'
import { type Graph, type GraphEdge, type GraphNode, isAside, NODE } from '../../lib/graph'

/** A node as the canvas takes it: our own node, and what the canvas must know of it. */
export type FlowNode = Node<{ node: GraphNode }, 'graph'>
export type FlowEdge = Edge<{ edge: GraphEdge }, 'graph'>

/** Where edges may begin and end; a condition has one output for each way. */
export interface Ports {
  readonly input: boolean
  readonly outputs: readonly (string | null)[]
}

const HANDLE = 12

/** The ports of a node, as far as its type tells. */
export function portsOf(node: GraphNode): Ports {
  if (node.type === 'condition') return { input: true, outputs: ['true', 'false'] }
  return { input: node.type !== 'start', outputs: node.type === 'end' || isAside(node) ? [] : [null] }
}

/**
 * The output that an edge leaves by. The canvas draws no edge whose output has another name, and to the gateway names
 * tell only the ways of a condition apart: elsewhere an edge may come with any, as other editors give one to each handle.
 */
export function outputOf({ sourceHandle }: GraphEdge, { outputs }: Ports): string | null {
  return sourceHandle && outputs.includes(sourceHandle) ? sourceHandle : null
}

/** How far below the upper border an output stands. */
export function outputTop(index: number, count: number): number {
  return (NODE.height * (index + 1)) / (count + 1)
}

function handlesOf({ input, outputs }: Ports): NonNullable<FlowNode['handles']> {
  const size = { width: HANDLE, height: HANDLE }
  const into = { type: 'target', position: Position.Left, x: -HANDLE / 2, y: (NODE.height - HANDLE) / 2, ...size } as const
  const from = outputs.map((id, index) => ({
    ...(id === null ? {} : { id }),
    type: 'source' as const,
    position: Position.Right,
    x: NODE.width - HANDLE / 2,
    y: outputTop(index, outputs.length) - HANDLE / 2,
    ...size,
  }))
  return input ? [into, ...from] : from
}

export interface FlowOptions {
  readonly ports: (node: GraphNode) => Ports
  /** What a screen reader says of a node. */
  readonly say: (node: GraphNode) => string
  readonly sayEdge: (edge: GraphEdge) => string
}

/** Turns graphs into what the canvas takes. What did not change stays the same object, so that it is not drawn again. */
export function flowMaker({ ports, say, sayEdge }: FlowOptions) {
  const nodes = new WeakMap<GraphNode, FlowNode>()
  const edges = new WeakMap<GraphEdge, FlowEdge>()
  const makeNode = (node: GraphNode, selected: boolean): FlowNode => {
    const known = nodes.get(node)
    if (known?.selected === selected) return known
    const made: FlowNode = {
      id: node.id,
      type: 'graph',
      position: node.position,
      data: { node },
      selected,
      ...NODE,
      measured: { ...NODE },
      handles: handlesOf(ports(node)),
      ariaLabel: say(node),
    }
    nodes.set(node, made)
    return made
  }
  const makeEdge = (edge: GraphEdge, from: GraphNode | undefined, selected: boolean): FlowEdge => {
    const sourceHandle = from ? outputOf(edge, ports(from)) : null
    const known = edges.get(edge)
    if (known?.selected === selected && known.sourceHandle === sourceHandle) return known
    const { id, source, target } = edge
    const made: FlowEdge = {
      id,
      source,
      target,
      sourceHandle,
      type: 'graph',
      data: { edge },
      selected,
      ariaLabel: sayEdge(edge),
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: 'var(--control)' },
    }
    edges.set(edge, made)
    return made
  }
  return {
    /** Nodes that are being dragged are where they are dragged to. */
    nodes: (graph: Graph, chosen: ReadonlySet<string>, dragged?: ReadonlyMap<string, { x: number; y: number }> | null) =>
      graph.nodes.map((node) => {
        const made = makeNode(node, chosen.has(node.id))
        const position = dragged?.get(node.id)
        return position ? { ...made, position } : made
      }),
    edges: (graph: Graph, chosen: ReadonlySet<string>) => {
      const byId = new Map(graph.nodes.map((node) => [node.id, node]))
      return graph.edges.map((edge) => makeEdge(edge, byId.get(edge.source), chosen.has(edge.id)))
    },
  }
}
