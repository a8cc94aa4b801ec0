import { useReactFlow } from '@xyflow/react'
import type { DragEvent } from 'react'
import { useWords } from '../../../../shared/lib/i18n'
import { Icon, Tooltip } from '../../../../shared/ui'
import { faceOf } from '../../../../shared/ui/graph/face'
import { addTo, stampOf, usualTarget } from '../actions'
import { DRAGGED } from '../canvas'
import { isSingle } from '../edits'
import { useLocked } from '../locked'
import type { Offer } from '../nodes/kind'
import { missingSingles, offersFor } from '../registry'
import { useEditor } from '../store'
import { middleOf } from '../viewport'
import { words as nodeWords } from '../nodes/words'
import { words } from '../words'

/** What can be added, by drag and by click. */
export function Palette() {
  const w = useWords(words)
  const types = useEditor((state) => state.types)
  const type = useEditor((state) => state.doc.workflowType)
  const missing = useEditor((state) => missingSingles(state.doc.graph))
  const offers = offersFor(types, type).filter((offer) => !isSingle(offer.type) || missing.includes(offer.type))
  return (
    <aside aria-label={w.palette} className="flex shrink-0 border-line bg-surface p-2 max-md:order-1 max-md:overflow-x-auto max-md:border-t md:w-14 md:flex-col md:overflow-y-auto md:border-r xl:w-52 xl:p-3">
      <h2 className="mb-1 text-xs font-semibold text-muted max-xl:sr-only">{w.palette}</h2>
      <p className="mb-3 text-xs text-faint max-xl:hidden">{w.paletteHint}</p>
      <ul className="flex gap-1.5 md:flex-col">
        {offers.map((offer) => (
          <li key={offer.key}>
            <OfferButton offer={offer} />
          </li>
        ))}
      </ul>
    </aside>
  )
}

function OfferButton({ offer }: { offer: Offer }) {
  const w = useWords(words)
  const n = useWords(nodeWords)
  const flow = useReactFlow()
  const locked = useLocked()
  const { icon } = faceOf(offer.type, offer.key === 'aside')
  const drag = (event: DragEvent) => {
    event.dataTransfer.setData(DRAGGED, offer.key)
    event.dataTransfer.effectAllowed = 'copy'
  }
  return (
    <Tooltip text={`${offer.name(n)}: ${offer.text(n)}`} side="right">
      <button
        type="button"
        draggable={locked === undefined}
        disabled={locked !== undefined}
        title={locked}
        onDragStart={drag}
        onClick={() => addTo(usualTarget(middleOf(flow)), stampOf(offer, n))}
        aria-label={w.add(offer.name(n))}
        className="flex h-10 w-full cursor-grab items-center justify-center gap-2.5 rounded-lg border border-line-strong bg-raised px-2 text-[13px] transition-colors hover:border-accent hover:bg-hover active:cursor-grabbing disabled:cursor-default disabled:opacity-50 max-md:px-3 xl:justify-start"
      >
        <Icon name={icon} size={16} className="text-accent-text" />
        <span className="truncate md:max-xl:hidden">{offer.name(n)}</span>
      </button>
    </Tooltip>
  )
}
