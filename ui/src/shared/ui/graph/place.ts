import type { ReactFlowInstance } from '@xyflow/react'
import { boundsOf, type GraphNode, NODE } from '../../lib/graph'
import type { FlowEdge, FlowNode } from './flow'

const READABLE = 0.55
const CLOSE = 0.75

/**
 * Shows the whole graph where it can be read; of a larger one a part: with the given node in its middle, else the
 * beginning. For `onInit` of a canvas: its property `fitView` waits for a node to be drawn, and in a low window none is
 * in sight at first.
 */
export function placeGraph(flow: Pick<ReactFlowInstance<FlowNode, FlowEdge>, 'fitView' | 'setViewport' | 'setCenter'>, nodes: readonly GraphNode[], middle?: string): void {
  const box = document.querySelector('.react-flow')?.getBoundingClientRect()
  const { width, height } = boundsOf(nodes)
  const start = nodes.find((node) => node.type === 'start') ?? nodes[0]
  const wanted = nodes.find(({ id }) => id === middle)
  if (!box || !start || Math.min(box.width / width, box.height / height) > READABLE) void flow.fitView({ padding: 0.12, maxZoom: 1 })
  else if (wanted) void flow.setCenter(wanted.position.x + NODE.width / 2, wanted.position.y + NODE.height / 2, { zoom: CLOSE })
  else void flow.setViewport({ x: 48 - start.position.x * CLOSE, y: box.height * 0.4 - start.position.y * CLOSE, zoom: CLOSE })
}
