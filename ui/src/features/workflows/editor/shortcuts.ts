import { useReactFlow } from '@xyflow/react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { stepAlong, tidyUp } from './actions'
import { useWords } from '../../../shared/lib/i18n'
import { useToast } from '../../../shared/ui'
import { isTyping } from './clipboard-events'
import { useLocked } from './locked'
import { editor } from './store'
import { view } from './view'
import { focusNode, middleOf, showNode } from './viewport'
import { words } from './words'

/** The keys that change the workflow; those of undo rest by themselves where nothing was changed. */
const CHANGING = new Set(['delete', 'backspace', 'n', 'c', 't'])

const FIT = { padding: 0.12, maxZoom: 1, duration: 200 }

/** The editor's keys. They rest while the keyboard belongs to a field or a dialog. */
export function useShortcuts(save: () => void): void {
  const w = useWords(words)
  const flow = useReactFlow()
  const toast = useToast()
  const locked = useLocked()
  const lastG = useRef(Number.NEGATIVE_INFINITY)
  // Start, call and end can be neither deleted nor doubled.
  const orTell = (change: () => void) => () => {
    const { doc, nodes } = editor.getState()
    change()
    if (nodes.size > 0 && editor.getState().doc === doc) toast({ tone: 'info', title: w.needed })
  }
  const commands = (key: string, shift: boolean): (() => void) | undefined => {
    const { undo, redo, duplicate, select, doc } = editor.getState()
    switch (key) {
      case 'z':
        return shift ? redo : undo
      case 'y':
        return redo
      case 'd':
        return orTell(duplicate)
      case 'a':
        return () => select(new Set(doc.graph.nodes.map(({ id }) => id)))
      case 'f':
        return () => view.getState().set({ finder: 'search' })
      default:
        return undefined
    }
  }
  const keys = (key: string): (() => void) | undefined => {
    const { set } = view.getState()
    const { nodes, edges, select } = editor.getState()
    const step = (direction: 'next' | 'previous') => () => {
      const id = stepAlong(direction)
      if (id === undefined) return
      showNode(flow, id)
      focusNode(id)
    }
    switch (key) {
      case 'delete':
      case 'backspace':
        return nodes.size + edges.size > 0 ? orTell(removeAndStay) : undefined
      case 'escape':
        return () => select(new Set())
      case '/':
        return () => set({ finder: 'search' })
      case 'n':
        return () => set({ picker: { ...middleOfWindow(), target: afterSelected(nodes, middleOf(flow)) } })
      case 'c':
        return nodes.size === 1 ? () => set({ finder: 'next', way: firstWay() }) : undefined
      case 't':
        return () => void tidyUp().then(() => flow.fitView(FIT))
      case 'f':
        return () => void flow.fitView(FIT)
      case 'r':
        return () => set({ panel: 'run' })
      case '?':
        return () => set({ sheet: true })
      case ']':
        return step('next')
      case '[':
        return step('previous')
      default:
        return undefined
    }
  }
  const press = useEffectEvent((event: KeyboardEvent) => {
    const key = event.key.toLowerCase()
    const command = event.ctrlKey || event.metaKey
    if (command && key === 's') {
      event.preventDefault()
      save()
      return
    }
    if (isCovered() || isTyping(event.target) || event.altKey) return
    // `g` and a letter belong to the shell.
    if (!command && key === 'g') lastG.current = event.timeStamp
    else if (command || event.timeStamp - lastG.current > 1500) {
      const act = command ? commands(key, event.shiftKey) : keys(key)
      if (!act) return
      event.preventDefault()
      event.stopImmediatePropagation()
      const changes = command ? key === 'd' : CHANGING.has(key)
      if (changes && locked !== undefined) toast({ tone: 'info', title: locked })
      else act()
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listen, true)
    return () => window.removeEventListener('keydown', listen, true)
  }, [])
}

/** Deletes what is selected; the node before it has the focus then. */
function removeAndStay(): void {
  const { doc, nodes, remove } = editor.getState()
  const before = doc.graph.edges.find(({ source, target }) => nodes.has(target) && !nodes.has(source))?.source
  remove()
  const stays = editor.getState().doc.graph.nodes.some(({ id }) => nodes.has(id))
  if (before !== undefined && !stays) focusNode(before)
}

/** Whether a dialog, a menu or a list stands above the editor. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null
}

function middleOfWindow(): { x: number; y: number } {
  const box = document.querySelector('.react-flow')?.getBoundingClientRect()
  return box ? { x: box.x + box.width / 2 - 144, y: box.y + box.height / 3 } : { x: 0, y: 0 }
}

function afterSelected(nodes: ReadonlySet<string>, middle: { x: number; y: number }) {
  const [node] = nodes
  return nodes.size === 1 && node !== undefined ? ({ kind: 'after', node } as const) : ({ kind: 'free', at: middle } as const)
}

/** The first free output of the selected node, when it is a condition. */
function firstWay(): string | null {
  const { doc, nodes } = editor.getState()
  const node = doc.graph.nodes.find(({ id }) => nodes.has(id))
  if (node?.type !== 'condition') return null
  const taken = new Set(doc.graph.edges.filter((edge) => edge.source === node.id).map((edge) => edge.sourceHandle))
  return taken.has('true') ? 'false' : 'true'
}
