import { Handle, type NodeProps, Position, useStore } from '@xyflow/react'
import { memo } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { recordOf, textOf } from '../../../shared/lib/values'
import { deedWords } from '../../../shared/lib/verdict'
import { FarFace, NodeFace } from '../../../shared/ui/graph/face'
import { type FlowNode, outputTop } from '../../../shared/ui/graph/flow'
import { type GraphNode, labelOf } from './graph'
import { portsFor } from './ports'
import { kindOf } from './registry'
import { type Mark, useRun } from './run-store'
import { roleOf } from './rules'
import { editor, useEditor } from './store'
import { useView } from './view'
import { words as nodeWords } from './nodes/words'

/** Below this zoom nothing on a node can be read, so only its shape is drawn. */
const FAR = 0.2

/** A node on the canvas. It follows its own part of the run and of the problems, and nothing else. */
export const CanvasNode = memo(function CanvasNode({ id, data, selected }: NodeProps<FlowNode>) {
  const isFar = useStore((state) => state.transform[2] < FAR)
  return isFar ? <FarNode id={id} node={data.node} selected={selected} /> : <NearNode id={id} node={data.node} selected={selected} />
})

interface Shown {
  id: string
  node: GraphNode
  selected: boolean
}

const UNTOUCHED: Mark = { state: 'skipped', count: 0, slowest: false }

function useMark(id: string): Mark | undefined {
  const mark = useRun((state) => state.marks.get(id))
  const shown = useRun((state) => state.run !== null)
  return mark ?? (shown ? UNTOUCHED : undefined)
}

function NearNode({ id, node, selected }: Shown) {
  const n = useWords(nodeWords)
  const d = useWords(deedWords)
  const types = useEditor((state) => state.types)
  const kinds = useEditor((state) => state.kinds)
  const mark = useMark(id)
  const broken = useView((state) => state.broken.get(id) === 'error')
  const module = useView((state) => state.modules.get(moduleOf(node)))
  const kind = kindOf(node, types)
  return (
    <>
      <Ports node={node} />
      <NodeFace
        type={node.type}
        label={labelOf(node)}
        detail={mark?.deed ? d[mark.deed] : kind.detail(node, n, module)}
        code={!mark?.deed && kind.code}
        aside={roleOf(node, kinds) === 'side'}
        selected={selected}
        mark={mark}
        broken={broken}
      />
    </>
  )
}

const moduleOf = ({ data }: GraphNode): string => textOf(recordOf(data['hook'])['hookModuleId'])

/** The shape of a node; the marks of its ports tell the canvas where edges end. */
function FarNode({ id, node, selected }: Shown) {
  const { kinds } = editor.getState()
  const { input, outputs } = portsFor(node, kinds)
  const mark = useMark(id)
  return (
    <>
      {input && <span className="react-flow__handle react-flow__handle-left target" data-handlepos="left" />}
      {outputs.map((way, index) => (
        <span
          key={way ?? 'out'}
          className="react-flow__handle react-flow__handle-right source"
          data-handlepos="right"
          {...(way === null ? {} : { 'data-handleid': way })}
          style={{ top: outputTop(index, outputs.length) }}
        />
      ))}
      <FarFace type={node.type} selected={selected} mark={mark} />
    </>
  )
}

/** The places at which edges begin and end. */
const Ports = memo(function Ports({ node }: { node: GraphNode }) {
  const kinds = useEditor((state) => state.kinds)
  const { input, outputs } = portsFor(node, kinds)
  return (
    <>
      {input && <Handle type="target" position={Position.Left} />}
      {outputs.map((way, index) => (
        <Handle
          key={way ?? 'out'}
          type="source"
          position={Position.Right}
          {...(way === null ? {} : { id: way })}
          style={{ top: outputTop(index, outputs.length) }}
        />
      ))}
    </>
  )
})
