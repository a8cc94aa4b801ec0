import type { ReactFlowInstance } from '@xyflow/react'
import { NODE, type Position } from './graph'
import { editor } from './store'

type Flow = Pick<ReactFlowInstance, 'screenToFlowPosition' | 'setCenter' | 'getZoom'>

/** The middle of what is seen of the canvas. */
export function middleOf(flow: Pick<Flow, 'screenToFlowPosition'>): Position {
  const box = document.querySelector('.react-flow')?.getBoundingClientRect()
  if (!box) return { x: 0, y: 0 }
  return flow.screenToFlowPosition({ x: box.x + box.width / 2, y: box.y + box.height / 2 })
}

/** Brings a node to the middle when it is out of sight. */
export function bringInSight(flow: Flow, id: string): void {
  const box = document.querySelector('.react-flow')?.getBoundingClientRect()
  const node = editor.getState().doc.graph.nodes.find((other) => other.id === id)
  if (!box || !node) return
  const [from, to] = [flow.screenToFlowPosition({ x: box.left, y: box.top }), flow.screenToFlowPosition({ x: box.right, y: box.bottom })]
  const { x, y } = node.position
  if (x > from.x && y > from.y && x + NODE.width < to.x && y + NODE.height < to.y) return
  void flow.setCenter(x + NODE.width / 2, y + NODE.height / 2, { zoom: flow.getZoom(), duration: 240 })
}

/** A new node is drawn unseen until it was measured. */
const FRAMES = 30

/** Gives a node the focus, unless something else takes it first: without, the keyboard would begin at the top of the page. */
export function focusNode(id: string, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const active = document.activeElement
    if (active !== null && active !== document.body && !active.matches('main, .react-flow__node')) return
    const node = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
    node?.focus({ preventScroll: true })
    if (document.activeElement !== node && frames > 0) focusNode(id, frames - 1)
  })
}

/** Gives the focus to the node that is selected, when it is one. */
export function focusSelected(): void {
  const { nodes } = editor.getState()
  const [id] = nodes
  if (id !== undefined && nodes.size === 1) focusNode(id)
}

/** Selects a node and brings it to the middle. */
export function showNode(flow: Flow, id: string): void {
  const { doc, select } = editor.getState()
  const node = doc.graph.nodes.find((other) => other.id === id)
  if (!node) return
  select(new Set([id]))
  const zoom = Math.min(1, Math.max(0.7, flow.getZoom()))
  void flow.setCenter(node.position.x + NODE.width / 2, node.position.y + NODE.height / 2, { zoom, duration: 240 })
}
