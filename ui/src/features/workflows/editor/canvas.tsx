import {
  Background,
  type Connection as FlowConnection,
  type EdgeChange,
  type FinalConnectionState,
  MiniMap,
  type NodeChange,
  ReactFlow,
  SelectionMode,
  useReactFlow,
} from '@xyflow/react'
import { type DragEvent, useCallback, useMemo } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { type FlowEdge, flowMaker, type FlowNode } from '../../../shared/ui/graph/flow'
import { KeepViewport } from '../../../shared/ui/graph/keep-viewport'
import { placeGraph } from '../../../shared/ui/graph/place'
import { addTo, stampOf } from './actions'
import { CanvasEdge } from './canvas-edge'
import { CanvasNode } from './canvas-node'
import { moved, namesOf, NODE, type Position, removeEdges } from './graph'
import { portsFor } from './ports'
import { kindOf, offersNow } from './registry'
import { type Connection, type Refusal, refusalOf } from './rules'
import { editor, useEditor } from './store'
import { type PointMenu, useView, view } from './view'
import { words as nodeWords } from './nodes/words'
import { words } from './words'

const nodeTypes = { graph: CanvasNode }
const edgeTypes = { graph: CanvasEdge }

/** The name under which the palette hands over what is dragged. */
export const DRAGGED = 'application/x-lockgate-node'

/** The graph, drawn and edited. */
export function Canvas() {
  const w = useWords(words)
  const { nodes, edges } = useFlow()
  const gestures = useGestures()
  const wiring = useWiring()
  const menus = useMenus()
  const drop = useDrop()
  const map = useView((state) => state.map)
  const readOnly = useEditor((state) => state.readOnly)
  return (
    <ReactFlow<FlowNode, FlowEdge>
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      {...gestures}
      {...wiring}
      {...menus}
      {...drop}
      aria-label={w.canvas}
      ariaLabelConfig={{
        'node.a11yDescription.default': w.canvasHelp,
        'node.a11yDescription.keyboardDisabled': w.canvasHelp,
        'node.a11yDescription.ariaLiveMessage': ({ direction, x, y }) => w.moved(direction, x, y),
        'edge.a11yDescription.default': w.canvasHelp,
        'minimap.ariaLabel': w.minimap,
      }}
      nodesDraggable={!readOnly}
      nodesConnectable={!readOnly}
      edgesReconnectable={!readOnly}
      onlyRenderVisibleElements
      elevateNodesOnSelect={false}
      deleteKeyCode={null}
      multiSelectionKeyCode={['Shift', 'Meta', 'Control']}
      selectionKeyCode="Shift"
      selectionMode={SelectionMode.Partial}
      nodeDragThreshold={3}
      connectionRadius={28}
      minZoom={0.05}
      maxZoom={2}
      snapToGrid
      snapGrid={[4, 4]}
      onInit={(flow) => placeGraph(flow, editor.getState().doc.graph.nodes)}
      zoomOnDoubleClick={false}
    >
      <Background gap={24} size={1.4} color="var(--line-strong)" />
      <KeepViewport />
      {map && <MiniMap pannable zoomable className="max-md:hidden" style={{ width: 168, height: 112 }} />}
    </ReactFlow>
  )
}

/** The document as the canvas takes it. */
function useFlow(): { nodes: FlowNode[]; edges: FlowEdge[] } {
  const n = useWords(nodeWords)
  const { types, kinds } = editor.getState()
  const graph = useEditor((state) => state.doc.graph)
  const chosen = useEditor((state) => state.nodes)
  const chosenEdges = useEditor((state) => state.edges)
  const maker = useMemo(
    () =>
      flowMaker({
        ports: (node) => portsFor(node, kinds),
        say: (node) => `${kindOf(node, types).name(n)}: ${namesOf(editor.getState().doc.graph)(node.id)}`,
        sayEdge: ({ source, target }) => {
          const name = namesOf(editor.getState().doc.graph)
          return `${name(source)} → ${name(target)}`
        },
      }),
    [types, kinds, n],
  )
  const dragged = useEditor((state) => state.dragged)
  const nodes = useMemo(() => maker.nodes(graph, chosen, dragged), [maker, graph, chosen, dragged])
  const edges = useMemo(() => maker.edges(graph, chosenEdges), [maker, graph, chosenEdges])
  return { nodes, edges }
}

/** Moving and selecting. */
function useGestures() {
  const onNodesChange = useCallback((changes: NodeChange<FlowNode>[]) => {
    const { drag, select, nodes, edges } = editor.getState()
    const places = new Map<string, Position>()
    const chosen = new Set(nodes)
    for (const change of changes) {
      if (change.type === 'position' && change.position) places.set(change.id, change.position)
      if (change.type === 'select') chosen[change.selected ? 'add' : 'delete'](change.id)
    }
    if (!isSameSet(chosen, nodes)) select(chosen, edges)
    if (places.size > 0) drag(places)
  }, [])
  const onEdgesChange = useCallback((changes: EdgeChange<FlowEdge>[]) => {
    const { select, nodes, edges } = editor.getState()
    const chosen = new Set(edges)
    for (const change of changes) {
      if (change.type === 'select') chosen[change.selected ? 'add' : 'delete'](change.id)
    }
    if (!isSameSet(chosen, edges)) select(nodes, chosen)
  }, [])
  const begin = useCallback(() => editor.getState().begin(), [])
  const commit = useCallback(() => editor.getState().commit(), [])
  return {
    onNodesChange,
    onEdgesChange,
    onNodeDragStart: begin,
    onNodeDragStop: commit,
    onSelectionDragStart: begin,
    onSelectionDragStop: commit,
  }
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id))
}

type Wire = Pick<FlowConnection, 'source' | 'target'> & { sourceHandle?: string | null }

const connectionOf = ({ source, target, sourceHandle }: Wire): Connection => ({ source, target, way: sourceHandle ?? null })

/** Why a connection is refused. An edge that is being moved does not stand in its own way. */
export function refusalFor(connection: Connection): Refusal | undefined {
  const { doc, kinds } = editor.getState()
  const { moving } = view.getState()
  const graph = moving === null ? doc.graph : removeEdges(doc.graph, new Set([moving]))
  return refusalOf(graph, kinds, doc.workflowType, connection)
}

/** Drawing connections. */
function useWiring() {
  const flow = useReactFlow()
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      const { fromNode, fromHandle, toHandle } = state
      if (state.isValid || !fromNode || !fromHandle) return
      const { connect } = editor.getState()
      const point = 'changedTouches' in event ? event.changedTouches[0] : event
      if (!point) return
      const [x, y] = [point.clientX, point.clientY]
      const over = toHandle?.nodeId ?? nodeAt(x, y)
      const forward = fromHandle.type === 'source'
      if (over === fromNode.id && !toHandle) return
      if (view.getState().moving !== null) return
      if (over) {
        const way = forward ? (fromHandle.id ?? null) : (toHandle?.id ?? null)
        connect({ source: forward ? fromNode.id : over, target: forward ? over : fromNode.id, way })
        return
      }
      const at = flow.screenToFlowPosition({ x, y })
      const target = forward
        ? ({ kind: 'after', node: fromNode.id, way: fromHandle.id ?? null, at: { x: at.x, y: at.y - NODE.height / 2 } } as const)
        : ({ kind: 'before', node: fromNode.id, at: { x: at.x - NODE.width, y: at.y - NODE.height / 2 } } as const)
      view.getState().set({ picker: { x, y, target } })
    },
    [flow],
  )
  const onConnect = useCallback((connection: FlowConnection) => void editor.getState().connect(connectionOf(connection)), [])
  const isValidConnection = useCallback((connection: Wire) => !refusalFor(connectionOf(connection)), [])
  const onReconnectStart = useCallback((_: unknown, edge: FlowEdge) => view.getState().set({ moving: edge.id }), [])
  const onReconnectEnd = useCallback(() => view.getState().set({ moving: null }), [])
  const onReconnect = useCallback((edge: FlowEdge, wire: FlowConnection) => {
    const { editGraph, refuse } = editor.getState()
    const connection = connectionOf(wire)
    const refusal = refusalFor(connection)
    if (refusal) refuse(refusal)
    else editGraph((graph) => ({ ...graph, edges: graph.edges.map((one) => (one.id === edge.id ? moved(one, connection) : one)) }))
  }, [])
  return { onConnectEnd, onConnect, isValidConnection, onReconnect, onReconnectStart, onReconnectEnd }
}

function nodeAt(x: number, y: number): string | undefined {
  return partAt(x, y, '.react-flow__node')
}

function partAt(x: number, y: number, selector: string): string | undefined {
  for (const element of document.elementsFromPoint(x, y)) {
    const id = element.closest(selector)?.getAttribute('data-id')
    if (id) return id
  }
  return undefined
}

/** The menus behind a right click. */
function useMenus() {
  const flow = useReactFlow()
  const openAt = (event: Pick<MouseEvent, 'clientX' | 'clientY' | 'preventDefault'>, on: PointMenu['on']) => {
    event.preventDefault()
    view.getState().set({ menu: { x: event.clientX, y: event.clientY, on } })
  }
  return {
    onNodeContextMenu: (event: React.MouseEvent, node: FlowNode) => {
      const { nodes, select } = editor.getState()
      if (!nodes.has(node.id)) select(new Set([node.id]))
      openAt(event, { kind: 'nodes' })
    },
    onSelectionContextMenu: (event: React.MouseEvent) => openAt(event, { kind: 'nodes' }),
    onEdgeContextMenu: (event: React.MouseEvent, edge: FlowEdge) => openAt(event, { kind: 'edge', id: edge.id }),
    onPaneContextMenu: (event: MouseEvent | React.MouseEvent) =>
      openAt(event, { kind: 'pane', at: flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }) }),
    onPaneClick: () => editor.getState().refuse(null),
  }
}

/** What is dragged from the palette lands where it is dropped; on an edge it is put onto it. */
function useDrop() {
  const n = useWords(nodeWords)
  const flow = useReactFlow()
  return {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
    },
    onDrop: (event: DragEvent) => {
      const key = event.dataTransfer.getData(DRAGGED)
      const { types, doc } = editor.getState()
      const offer = offersNow(types, doc.workflowType, doc.graph).find((one) => one.key === key)
      if (!offer) return
      event.preventDefault()
      const [x, y] = [event.clientX, event.clientY]
      const edge = partAt(x, y, '.react-flow__edge')
      const at = flow.screenToFlowPosition({ x: x - (NODE.width / 2) * flow.getZoom(), y: y - (NODE.height / 2) * flow.getZoom() })
      addTo(edge ? { kind: 'edge', edge } : { kind: 'free', at }, stampOf(offer, n))
    },
  }
}
