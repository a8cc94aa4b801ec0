import { type EdgeProps, useStore } from '@xyflow/react'
import { memo } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Icon } from '../../../shared/ui'
import { GraphEdgeLine } from '../../../shared/ui/graph/edge'
import type { FlowEdge } from '../../../shared/ui/graph/flow'
import { useRun } from './run-store'
import { useView } from './view'
import { words } from './words'

/** An edge on the canvas, with a plus that puts a node onto it. */
export const CanvasEdge = memo(function CanvasEdge(edge: EdgeProps<FlowEdge>) {
  const w = useWords(words)
  const lit = useRun((state) => (state.run ? state.way.has(edge.id) : undefined))
  const size = useStore((state) => plusSize(state.transform[2]))
  const set = useView((state) => state.set)
  const way = edge.sourceHandleId === 'true' ? w.wayTrue : edge.sourceHandleId === 'false' ? w.wayFalse : undefined
  return (
    <GraphEdgeLine edge={edge} lit={lit} way={way}>
      {size !== '' && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={w.insertHere}
          title={w.insertHere}
          onClick={(event) => set({ picker: { x: event.clientX, y: event.clientY, target: { kind: 'edge', edge: edge.id } } })}
          className={classes('nodrag nopan grid place-items-center rounded-full border border-line-strong bg-raised text-muted opacity-70 transition hover:scale-110 hover:border-accent hover:text-accent-text hover:opacity-100', size)}
        >
          <Icon name="plus" size={size === 'size-5' ? 12 : 20} />
        </button>
      )}
    </GraphEdgeLine>
  )
})

/** The plus grows when the canvas shrinks, so that it can be hit; far away there is none. */
function plusSize(zoom: number): string {
  if (zoom > 0.7) return 'size-5'
  return zoom > 0.3 ? 'size-9' : ''
}
