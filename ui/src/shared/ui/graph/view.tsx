import { Background, type EdgeProps, type NodeProps, ReactFlow, ReactFlowProvider } from '@xyflow/react'
import { memo, useMemo } from 'react'
import { type Graph, isAside, labelOf, namesOf } from '../../lib/graph'
import { GraphEdgeLine } from './edge'
import { NodeFace } from './face'
import { type FlowEdge, flowMaker, type FlowNode, portsOf } from './flow'
import { KeepViewport } from './keep-viewport'
import { StillPorts } from './ports'

const nodeTypes = { graph: memo(PlainNode) }
const edgeTypes = { graph: memo(PlainEdge) }
const NONE: ReadonlySet<string> = new Set()

/** A graph to look at. */
export function GraphView({ graph, label }: { graph: Graph; label: string }) {
  const maker = useMemo(() => {
    const name = namesOf(graph)
    return flowMaker({ ports: portsOf, say: ({ id }) => name(id), sayEdge: ({ source, target }) => `${name(source)} → ${name(target)}` })
  }, [graph])
  const nodes = useMemo(() => maker.nodes(graph, NONE), [maker, graph])
  const edges = useMemo(() => maker.edges(graph, NONE), [maker, graph])
  return (
    <ReactFlowProvider>
      <ReactFlow<FlowNode, FlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        aria-label={label}
        // There is nothing to do with a node here.
        ariaLabelConfig={{ 'node.a11yDescription.keyboardDisabled': '' }}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements
        deleteKeyCode={null}
        minZoom={0.05}
        // The property `fitView` waits for a node to be drawn, and in a low window none is in sight at first.
        onInit={(flow) => void flow.fitView({ padding: 0.12, maxZoom: 1 })}
      >
        <Background gap={24} size={1.4} color="var(--line-strong)" />
        <KeepViewport />
      </ReactFlow>
    </ReactFlowProvider>
  )
}

function PlainNode({ data }: NodeProps<FlowNode>) {
  const { node } = data
  return (
    <>
      <StillPorts node={node} />
      <NodeFace type={node.type} label={labelOf(node)} detail={node.id} code aside={isAside(node)} />
    </>
  )
}

function PlainEdge(edge: EdgeProps<FlowEdge>) {
  return <GraphEdgeLine edge={edge} way={edge.sourceHandleId ?? undefined} />
}
