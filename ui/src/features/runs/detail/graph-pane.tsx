import { Background, type EdgeProps, type NodeProps, ReactFlow, useReactFlow } from '@xyflow/react'
import { createContext, memo, use, useEffect, useMemo } from 'react'
import { type Graph, isAside, labelOf, namesOf, NODE } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { deedOf, outcomeOf, type Run, sinceOf, timeOf, troubleOf, wayOf } from '../../../shared/lib/run'
import { IconButton } from '../../../shared/ui'
import { GraphEdgeLine } from '../../../shared/ui/graph/edge'
import { type FaceMark, NodeFace } from '../../../shared/ui/graph/face'
import { type FlowEdge, flowMaker, type FlowNode, portsOf } from '../../../shared/ui/graph/flow'
import { KeepViewport } from '../../../shared/ui/graph/keep-viewport'
import { placeGraph } from '../../../shared/ui/graph/place'
import { StillPorts } from '../../../shared/ui/graph/ports'
import { words } from '../words'
import { aheadOf } from './journey'

interface GraphPaneProps {
  run: Run
  graph: Graph
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
}

/** What the run did, for the nodes and edges of the canvas. */
const Traces = createContext<{ marks: ReadonlyMap<string, FaceMark>; way: ReadonlySet<string>; ahead: ReadonlySet<string> }>({ marks: new Map(), way: new Set(), ahead: new Set() })

const nodeTypes = { graph: memo(RunNode) }
const edgeTypes = { graph: memo(RunEdge) }
const NONE: ReadonlySet<string> = new Set()

/** The graph with the states of a run: the way taken is lit, the rest is dimmed. */
export function GraphPane({ run, graph, chosen, onChoose }: GraphPaneProps) {
  const w = useWords(words)
  const flow = useReactFlow()
  const traces = useMemo(() => ({ marks: marksOf(run), way: wayOf(run, graph), ahead: aheadOf(run, graph) }), [run, graph])
  const maker = useMemo(() => {
    const name = namesOf(graph)
    const state = (id: string) => w.states(outcomeIn(run, id), traces.ahead.has(id))
    return flowMaker({ ports: portsOf, say: ({ id }) => `${name(id)}: ${state(id)}`, sayEdge: ({ source, target }) => `${name(source)} → ${name(target)}` })
  }, [graph, run, traces, w])
  const nodes = useMemo(() => maker.nodes(graph, chosen === undefined ? NONE : new Set([chosen])), [maker, graph, chosen])
  const edges = useMemo(() => maker.edges(graph, NONE), [maker, graph])
  useEffect(() => {
    const node = graph.nodes.find(({ id }) => id === chosen)
    if (!node) return
    const zoom = Math.min(1, Math.max(0.6, flow.getZoom()))
    void flow.setCenter(node.position.x + NODE.width / 2, node.position.y + NODE.height / 2, { zoom, duration: 240 })
  }, [chosen, graph, flow])
  return (
    <Traces value={traces}>
      <ReactFlow<FlowNode, FlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        aria-label={w.graph}
        ariaLabelConfig={{ 'node.a11yDescription.keyboardDisabled': w.graphHelp, 'edge.a11yDescription.default': '' }}
        onNodeClick={(_, node) => onChoose(node.id)}
        onPaneClick={() => onChoose(undefined)}
        onNodesChange={(changes) => {
          // The keyboard selects through changes; the pointer does so through the click.
          for (const change of changes) if (change.type === 'select' && change.selected) onChoose(change.id)
        }}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements
        deleteKeyCode={null}
        minZoom={0.05}
        onInit={(flow) => placeGraph(flow, graph.nodes, chosen ?? troubleOf(run, graph))}
      >
        <Background gap={24} size={1.4} color="var(--line-strong)" />
        <KeepViewport />
        <IconButton size="small" icon="fit" label={w.fit} className="absolute bottom-3 left-3 z-10 border! border-line! bg-raised! shadow-card" onClick={() => void flow.fitView({ padding: 0.12, maxZoom: 1 })} />
      </ReactFlow>
    </Traces>
  )
}

function outcomeIn(run: Run, id: string) {
  const node = run.results[id]
  return node ? outcomeOf(node) : 'skipped'
}

function marksOf(run: Run): Map<string, FaceMark> {
  // Which node is the slowest is known at the end.
  const slow = run.status === 'running' ? -1 : Math.max(0, ...Object.values(run.results).map((node) => timeOf(node) ?? 0))
  return new Map(
    Object.entries(run.results).map(([id, node]) => {
      const time = timeOf(node)
      return [id, { state: node.state, ...deedOf(node), ...sinceOf(node), ...(time === undefined ? {} : { time, slowest: time > 0 && time === slow }) }]
    }),
  )
}

function RunNode({ id, data, selected }: NodeProps<FlowNode>) {
  const w = useWords(words)
  const { marks, ahead } = use(Traces)
  const { node } = data
  const mark = marks.get(id) ?? { state: 'skipped' as const }
  return (
    <>
      <StillPorts node={node} />
      <NodeFace type={node.type} label={labelOf(node)} detail={w.states(mark.deed ?? mark.state, ahead.has(id))} aside={isAside(node)} selected={selected} mark={mark} />
    </>
  )
}

function RunEdge(edge: EdgeProps<FlowEdge>) {
  const w = useWords(words)
  const { way } = use(Traces)
  const word = edge.sourceHandleId === 'true' ? w.branchTrue : edge.sourceHandleId === 'false' ? w.branchFalse : undefined
  return <GraphEdgeLine edge={edge} lit={way.has(edge.id)} way={word} />
}
