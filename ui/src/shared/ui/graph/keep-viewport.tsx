import { useReactFlow, type Viewport } from '@xyflow/react'
import { useEffect, useLayoutEffect, useRef } from 'react'

/**
 * Keeps the part of a canvas that is in sight while the page is hidden, as when somebody has to sign in again: React
 * Flow then gives up its pane, and begins a new one at the origin. It stands inside the canvas, whose effects come first.
 */
export function KeepViewport() {
  const flow = useReactFlow()
  const kept = useRef<Viewport>(undefined)
  // The pane is given up in an effect, after those of the layout.
  useLayoutEffect(() => () => void (kept.current = flow.getViewport()), [flow])
  useEffect(() => {
    if (kept.current) void flow.setViewport(kept.current)
  }, [flow])
  return null
}
