import { useReactFlow } from '@xyflow/react'
import { useWords } from '../../../../shared/lib/i18n'
import { IconButton } from '../../../../shared/ui'
import { useView } from '../view'
import { words } from '../words'

/** Zoom, fit and the map, at the corner of the canvas. */
export function ZoomButtons() {
  const w = useWords(words)
  const flow = useReactFlow()
  const map = useView((state) => state.map)
  const set = useView((state) => state.set)
  return (
    <div className="absolute bottom-4 left-4 z-10 flex rounded-lg border border-line bg-raised p-0.5 shadow-card">
      <IconButton size="small" icon="plus" label={w.zoomIn} onClick={() => void flow.zoomIn({ duration: 150 })} />
      <IconButton size="small" icon="minus" label={w.zoomOut} onClick={() => void flow.zoomOut({ duration: 150 })} />
      <IconButton size="small" icon="fit" label={`${w.fit} (F)`} onClick={() => void flow.fitView({ padding: 0.12, maxZoom: 1, duration: 200 })} />
      <IconButton size="small" icon="screen" label={w.minimap} aria-pressed={map} className="max-md:hidden" onClick={() => set({ map: !map })} />
    </div>
  )
}
