/** Puts the nodes of a graph into order, from left to right. */
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
  dagre.layout(chart)
  const places = new Map<string, Position>()
  for (const { id } of graph.nodes) {
    const { x, y } = chart.node(id) as { x: number; y: number }
    places.set(id, snap({ x: x - NODE.width / 2, y: y - NODE.height / 2 }))
  }
  return moveNodes(graph, places)
}
