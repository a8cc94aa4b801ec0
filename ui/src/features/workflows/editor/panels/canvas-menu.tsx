import { useReactFlow } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { useWords } from '../../../../shared/lib/i18n'
import { Menu, type MenuItem } from '../../../../shared/ui'
import { tidyUp } from '../actions'
import { useClipboard } from '../clipboard-events'
import { isDeletable } from '../edits'
import { removeEdges } from '../graph'
import { useLocked } from '../locked'
import { editor } from '../store'
import { type PointMenu, useView, view } from '../view'
import { words } from '../words'

/** The menu at the point of a right click. */
export function CanvasMenu() {
  const menu = useView((state) => state.menu)
  return menu && <OpenMenu menu={menu} />
}

function OpenMenu({ menu }: { menu: PointMenu }) {
  const set = useView((state) => state.set)
  const before = useRef(document.activeElement)
  useEffect(() => {
    const element = before.current
    return () => {
      if (element instanceof HTMLElement || element instanceof SVGElement) element.focus({ preventScroll: true })
    }
  }, [])
  return (
    <Menu open onOpenChange={(open) => !open && set({ menu: null })} items={useItems(menu)} align="start">
      <button type="button" tabIndex={-1} aria-hidden className="fixed size-0" style={{ left: menu.x, top: menu.y }} />
    </Menu>
  )
}

function useItems({ on, x, y }: PointMenu): MenuItem[] {
  const w = useWords(words)
  const flow = useReactFlow()
  const { copy, paste } = useClipboard()
  const { set } = view.getState()
  const { nodes, duplicate, remove, select, editGraph, doc } = editor.getState()
  const [node] = nodes
  const locked = useLocked()
  // What would change the workflow is there where it cannot be changed too, and says why it rests.
  const rests = locked === undefined ? {} : { disabled: true, title: locked }
  if (on.kind === 'edge') {
    return [
      { label: w.insertHere, onSelect: () => set({ picker: { x, y, target: { kind: 'edge', edge: on.id } } }), ...rests },
      { label: w.removeEdge, danger: true, onSelect: () => editGraph((graph) => removeEdges(graph, new Set([on.id]))), ...rests },
    ]
  }
  if (on.kind === 'nodes') {
    // Start, call and end stay, and there is one of each.
    const stays = doc.graph.nodes.every((one) => !nodes.has(one.id) || !isDeletable(doc.graph, one)) && { disabled: true, title: w.needed }
    return [
      ...(nodes.size === 1 && node !== undefined
        ? ([
            { label: w.pickTitle, shortcut: 'N', onSelect: () => set({ picker: { x, y, target: { kind: 'after', node } } }), ...rests },
            { label: w.nextAdd, shortcut: 'C', onSelect: () => set({ finder: 'next', way: null }), ...rests },
            { kind: 'separator' },
          ] satisfies MenuItem[])
        : []),
      { label: w.copy, shortcut: 'Ctrl C', onSelect: () => void copy() },
      { label: w.cut, shortcut: 'Ctrl X', onSelect: () => void copy().then(remove), ...stays, ...rests },
      { label: w.duplicate, shortcut: 'Ctrl D', onSelect: duplicate, ...stays, ...rests },
      { kind: 'separator' },
      { label: w.remove, danger: true, shortcut: 'Del', onSelect: remove, ...stays, ...rests },
    ]
  }
  return [
    { label: w.pickTitle, onSelect: () => set({ picker: { x, y, target: { kind: 'free', at: on.at } } }), ...rests },
    { label: w.paste, shortcut: 'Ctrl V', onSelect: () => void paste(on.at), ...rests },
    { label: w.selectAll, shortcut: 'Ctrl A', onSelect: () => select(new Set(doc.graph.nodes.map(({ id }) => id))) },
    { kind: 'separator' },
    { label: w.tidy, shortcut: 'T', onSelect: () => void tidyUp().then(() => flow.fitView({ padding: 0.12, maxZoom: 1 })), ...rests },
    { label: w.fit, shortcut: 'F', onSelect: () => void flow.fitView({ padding: 0.12, maxZoom: 1, duration: 200 }) },
  ]
}
