import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react'
import type { ReactNode } from 'react'
import type { FlowEdge } from './flow'

interface GraphEdgeProps {
  edge: EdgeProps<FlowEdge>
  /** Whether a run followed it; nothing when no run is shown. */
  lit?: boolean | undefined
  /** The word for the way out of a condition. */
  way?: string | undefined
  /** What stands in its middle. */
  children?: ReactNode
}

/** A line from one node to the next, with the way's word near its beginning. */
export function GraphEdgeLine({ edge, lit, way, children }: GraphEdgeProps) {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, markerEnd, id } = edge
  const [path, x, y] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition })
  const look = lit === undefined ? '' : lit ? 'is-lit' : 'is-dim'
  return (
    <>
      <BaseEdge id={id} path={path} interactionWidth={18} className={look} {...(markerEnd ? { markerEnd } : {})} />
      {(way || children) && (
        <EdgeLabelRenderer>
          {way && (
            <span
              className="pointer-events-none absolute rounded bg-warn-soft px-1 text-[11px] leading-4 text-warn-text"
              style={{ transform: `translate(${sourceX + 6}px, ${sourceY + (edge.sourceHandleId === 'true' ? -18 : 2)}px)` }}
            >
              {way}
            </span>
          )}
          {children && (
            <span className="pointer-events-auto absolute" style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
              {children}
            </span>
          )}
        </EdgeLabelRenderer>
      )}
    </>
  )
}
