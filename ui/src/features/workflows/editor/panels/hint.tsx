import { useConnection } from '@xyflow/react'
import { useEffect } from 'react'
import { classes } from '../../../../shared/lib/classes'
import { useWords } from '../../../../shared/lib/i18n'
import { Icon } from '../../../../shared/ui'
import { refusalFor } from '../canvas'
import { reasons, refusalText } from '../reasons'
import { useEditor } from '../store'
import { words } from '../words'

/** Says live, at the foot of the canvas, whether a connection can be made and if not, why. */
export function ConnectionHint() {
  const w = useWords(words)
  const r = useWords(reasons)
  const live = useLiveRefusal()
  const last = useEditor((state) => state.refusal)
  const refuse = useEditor((state) => state.refuse)
  useEffect(() => {
    if (!last) return
    const timer = setTimeout(() => refuse(null), 8000)
    return () => clearTimeout(timer)
  }, [last, refuse])
  const refusal = live.refusal ?? (live.drawing ? null : last)
  const text = refusal ? refusalText(r, refusal) : live.drawing && !live.over ? w.undecided : ''
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-4 z-10 flex justify-center px-4">
      {text && (
        <p className={classes('flex animate-appear items-center gap-2 rounded-full border px-3 py-1.5 text-[13px] shadow-pop', refusal ? 'border-bad bg-bad-soft text-bad-text' : 'border-line bg-raised text-muted')}>
          {refusal && <Icon name="warning" size={15} />}
          {refusal && <strong className="font-semibold">{w.lead(w.refused)}</strong>}
          {text}
        </p>
      )}
    </div>
  )
}

/** What the rules say of the connection that is being drawn. */
function useLiveRefusal() {
  const drawn = useConnection((connection) => {
    if (!connection.inProgress) return ''
    const { fromHandle, toHandle, fromNode } = connection
    if (!toHandle) return JSON.stringify({ from: fromNode.id })
    const forward = fromHandle.type === 'source'
    const [source, target] = forward ? [fromNode.id, toHandle.nodeId] : [toHandle.nodeId, fromNode.id]
    return JSON.stringify({ source, target, way: (forward ? fromHandle : toHandle).id ?? null })
  })
  if (drawn === '') return { drawing: false, over: false, refusal: null }
  const connection = JSON.parse(drawn) as { source?: string; target?: string; way?: string | null }
  if (connection.source === undefined || connection.target === undefined) return { drawing: true, over: false, refusal: null }
  const { source, target, way } = connection
  return { drawing: true, over: true, refusal: refusalFor({ source, target, way: way ?? null }) ?? null }
}
