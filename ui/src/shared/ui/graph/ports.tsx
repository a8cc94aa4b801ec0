import { Handle, Position } from '@xyflow/react'
import type { GraphNode } from '../../lib/graph'
import { outputTop, portsOf } from './flow'

/** The places at which the edges of a node begin and end, where nothing can be drawn. */
export function StillPorts({ node }: { node: GraphNode }) {
  const { input, outputs } = portsOf(node)
  return (
    <>
      {input && <Handle type="target" position={Position.Left} isConnectable={false} />}
      {outputs.map((way, index) => (
        <Handle
          key={way ?? 'out'}
          type="source"
          position={Position.Right}
          isConnectable={false}
          {...(way === null ? {} : { id: way })}
          style={{ top: outputTop(index, outputs.length) }}
        />
      ))}
    </>
  )
}
