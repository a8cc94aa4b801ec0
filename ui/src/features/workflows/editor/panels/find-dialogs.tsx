import { useReactFlow } from '@xyflow/react'
import { Popover } from 'radix-ui'
import { useMemo } from 'react'
import { useWords } from '../../../../shared/lib/i18n'
import { Dialog } from '../../../../shared/ui'
import { faceOf } from '../../../../shared/ui/graph/face'
import { addTo, stampOf } from '../actions'
import { namesOf } from '../graph'
import { reasons, refusalText } from '../reasons'
import { kindOf, offersNow } from '../registry'
import { refusalOf, roleOf } from '../rules'
import { editor, useEditor } from '../store'
import { useView } from '../view'
import { focusSelected, showNode } from '../viewport'
import { words as nodeWords } from '../nodes/words'
import { words } from '../words'
import { Finder } from './finder'

/** Finds a node by its label, its kind or its script, and goes there. */
export function SearchDialog() {
  const w = useWords(words)
  const n = useWords(nodeWords)
  const flow = useReactFlow()
  const open = useView((state) => state.finder === 'search')
  const set = useView((state) => state.set)
  const graph = useEditor((state) => state.doc.graph)
  const types = useEditor((state) => state.types)
  const items = useMemo(
    () =>
      open
        ? graph.nodes.map((node) => {
            const kind = kindOf(node, types)
            const detail = `${kind.name(n)} · ${kind.detail(node, n)}`
            return { key: node.id, label: namesOf(graph)(node.id), detail, icon: faceOf(node.type).icon }
          })
        : [],
    [open, graph, types, n],
  )
  const pick = (id: string) => {
    set({ finder: null, panel: 'inspector' })
    showNode(flow, id)
  }
  return (
    <Dialog size="small" open={open} onOpenChange={() => set({ finder: null })} title={w.search}>
      <Finder items={items} label={w.search} placeholder={w.searchHint} onPick={pick} />
    </Dialog>
  )
}

/** Connects the selected node to another one, by keyboard. What the rules refuse says why. */
export function NextDialog() {
  const w = useWords(words)
  const n = useWords(nodeWords)
  const r = useWords(reasons)
  const open = useView((state) => state.finder === 'next')
  const way = useView((state) => state.way)
  const set = useView((state) => state.set)
  const doc = useEditor((state) => state.doc)
  const kinds = useEditor((state) => state.kinds)
  const types = useEditor((state) => state.types)
  const source = useEditor((state) => [...state.nodes][0])
  const items = useMemo(() => {
    if (!open || source === undefined) return []
    const nameOf = namesOf(doc.graph)
    const all = doc.graph.nodes.filter((node) => node.id !== source && node.type !== 'start')
    const found = all.map((node) => {
      const refusal = refusalOf(doc.graph, kinds, doc.workflowType, { source, target: node.id, way })
      const refused = refusal && refusalText(r, refusal)
      return { key: node.id, label: nameOf(node.id), detail: kindOf(node, types).name(n), icon: faceOf(node.type).icon, refused }
    })
    return found.sort((a, b) => Number(a.refused !== undefined) - Number(b.refused !== undefined))
  }, [open, source, doc, kinds, types, way, r, n])
  const pick = (target: string) => {
    set({ finder: null })
    if (source !== undefined) editor.getState().connect({ source, target, way })
  }
  return (
    <Dialog size="small" open={open} onOpenChange={() => set({ finder: null })} title={w.nextAdd}>
      <Finder items={items} label={w.nextAdd} placeholder={w.searchHint} onPick={pick} />
    </Dialog>
  )
}

/** The nodes that can go to where a connection was dropped, or an edge's plus was pressed. */
export function PickerPopover() {
  const w = useWords(words)
  const n = useWords(nodeWords)
  const picker = useView((state) => state.picker)
  const set = useView((state) => state.set)
  const doc = useEditor((state) => state.doc)
  const kinds = useEditor((state) => state.kinds)
  const types = useEditor((state) => state.types)
  if (!picker) return null
  const backward = picker.target.kind === 'before'
  const offers = offersNow(types, doc.workflowType, doc.graph).filter((offer) => {
    const role = roleOf({ id: '', type: offer.type, position: { x: 0, y: 0 }, data: offer.data }, kinds)
    return backward ? role !== 'end' && role !== 'side' : role !== 'start'
  })
  const items = offers.map((offer) => ({ key: offer.key, label: offer.name(n), detail: offer.text(n), icon: faceOf(offer.type, offer.key === 'aside').icon }))
  const pick = (key: string) => {
    const offer = offers.find((one) => one.key === key)
    set({ picker: null, panel: 'inspector' })
    if (offer) addTo(picker.target, stampOf(offer, n))
  }
  const point = { getBoundingClientRect: () => DOMRect.fromRect({ x: picker.x, y: picker.y, width: 0, height: 0 }) }
  return (
    <Popover.Root open onOpenChange={() => set({ picker: null })}>
      <Popover.Anchor virtualRef={{ current: point }} />
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={8}
          collisionPadding={12}
          aria-label={w.pickTitle}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            focusSelected()
          }}
          className="z-40 w-72 animate-appear rounded-xl border border-line bg-raised p-2 shadow-pop"
        >
          <Finder items={items} label={w.pickTitle} placeholder={w.pickHint} onPick={pick} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
