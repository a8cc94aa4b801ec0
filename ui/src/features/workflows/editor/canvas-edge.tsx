import { type EdgeProps, useStore } from '@xyflow/react'
import { memo, type MouseEvent } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Icon, useToast } from '../../../shared/ui'
import { GraphEdgeLine } from '../../../shared/ui/graph/edge'
import type { FlowEdge } from '../../../shared/ui/graph/flow'
import { useLocked } from './locked'
import { useRun } from './run-store'
import { useView } from './view'
import { words } from './words'

/** An edge on the canvas, with a plus that puts a node onto it. */
export const CanvasEdge = memo(function CanvasEdge(edge: EdgeProps<FlowEdge>) {
  const w = useWords(words)
  const lit = useRun((state) => (state.run ? state.way.has(edge.id) : undefined))
  const size = useStore((state) => plusSize(state.transform[2]))
  const set = useView((state) => state.set)
  const toast = useToast()
  const locked = useLocked()
  const insert = (event: MouseEvent) => {
    if (locked !== undefined) toast({ tone: 'info', title: locked })
    else set({ picker: { x: event.clientX, y: event.clientY, target: { kind: 'edge', edge: edge.id } } })
  }
  const way = edge.sourceHandleId === 'true' ? w.wayTrue : edge.sourceHandleId === 'false' ? w.wayFalse : undefined
  return (
    <GraphEdgeLine edge={edge} lit={lit} way={way}>
      {size !== '' && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={w.insertHere}
          title={locked ?? w.insertHere}
          aria-disabled={locked !== undefined}
          onClick={insert}
          className={classes('nodrag nopan grid place-items-center rounded-full border border-line-strong bg-raised text-muted opacity-70 transition not-aria-disabled:hover:scale-110 not-aria-disabled:hover:border-accent not-aria-disabled:hover:text-accent-text not-aria-disabled:hover:opacity-100 aria-disabled:opacity-40', size)}
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
