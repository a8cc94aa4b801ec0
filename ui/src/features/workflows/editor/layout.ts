/** Puts the nodes of a graph into order, from left to right. */
import type { Graph as Chart } from '@dagrejs/dagre'
import { GAP, type Graph, moveNodes, NODE, type Position, snap } from './graph'

/** The graph with its nodes in order. The layouter is loaded when it is first needed. */
export async function tidied(graph: Graph): Promise<Graph> {
  const dagre = await import('@dagrejs/dagre')
  const chart = new dagre.Graph({ multigraph: true })
  chart.setGraph({ rankdir: 'LR', nodesep: GAP.y, ranksep: GAP.x, marginx: 0, marginy: 0 })
  chart.setDefaultEdgeLabel(() => ({}))
  for (const node of graph.nodes) chart.setNode(node.id, { width: NODE.width, height: NODE.height })
  for (const edge of graph.edges) {
    if (chart.hasNode(edge.source) && chart.hasNode(edge.target)) {
      chart.setEdge(edge.source, edge.target, {}, edge.id)
    }
  }
  dagre.layout(chart, {
    customOrder(drawn, order) {
      order(drawn)
      untwist(drawn, graph)
    },
  })
  const places = new Map<string, Position>()
  for (const { id } of graph.nodes) {
    const { x, y } = chart.node(id) as { x: number; y: number }
    places.set(id, snap({ x: x - NODE.width / 2, y: y - NODE.height / 2 }))
  }
  return moveNodes(graph, places)
}

/** The way for true leaves a condition above the other one, so what follows it stands above too. */
function untwist(drawn: Chart, graph: Graph): void {
  const ways = new Map(graph.edges.map(({ id, sourceHandle }) => [id, sourceHandle]))
  const rank = (id: string) => drawn.node(id)['rank'] as number
  const order = (id: string) => drawn.node(id)['order'] as number
  const conditions = graph.nodes.filter(({ id, type }) => type === 'condition' && drawn.hasNode(id)).map(({ id }) => id)
  // What stands inside of a way is turned with it, and looked at afterwards.
  for (const id of conditions.sort((one, other) => rank(one) - rank(other))) {
    const out = drawn.outEdges(id) ?? []
    const next = (way: string) => out.find(({ name }) => name !== undefined && ways.get(name) === way)?.w
    const [yes, no] = [next('true'), next('false')]
    if (yes === undefined || no === undefined || order(yes) < order(no)) continue
    const [first, second] = [reach(drawn, yes), reach(drawn, no)]
    const apart = [...first, ...second].filter((one) => !(first.has(one) && second.has(one)))
    for (const at of new Set(apart.map(rank))) {
      const column = apart.filter((one) => rank(one) === at)
      const places = column.map(order).sort((one, other) => one - other)
      column.sort((one, other) => order(other) - order(one)).forEach((one, index) => (drawn.node(one)['order'] = places[index]))
    }
  }
}

/** The nodes to which ways lead from this one, which is among them. */
function reach(drawn: Chart, from: string): Set<string> {
  const found = new Set([from])
  for (const one of found) for (const next of drawn.successors(one) ?? []) found.add(next)
  return found
}
