import { useReactFlow } from '@xyflow/react'
import { useEffect, useEffectEvent } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { useCopy, useToast } from '../../../shared/ui'
import { besideOf } from './actions'
import { readText } from './clipboard'
import type { Position } from './graph'
import { useLocked } from './locked'
import { editor } from './store'
import { middleOf } from './viewport'
import { words } from './words'

/** Copy and paste by a button or a menu, through the system's clipboard. */
export function useClipboard() {
  const w = useWords(words)
  const toast = useToast()
  const write = useCopy()
  const flow = useReactFlow()
  const locked = useLocked()
  /** Tells why nothing can be changed, and whether that is so. */
  const tellLocked = () => {
    if (locked !== undefined) toast({ tone: 'info', title: locked })
    return locked !== undefined
  }
  const put = (text: string, at?: Position) => {
    if (tellLocked()) return
    const part = readText(text)
    if (!part) {
      toast({ tone: 'info', title: w.pasteNothing })
      return
    }
    const { added, left } = editor.getState().paste(part, at ?? besideOf(middleOf(flow)))
    const more = left > 0 ? { text: w.pasteLeft(left) } : {}
    toast({ tone: added.size > 0 ? 'good' : 'info', title: w.pasted(added.size), ...more })
  }
  const copy = async () => {
    const text = editor.getState().copy()
    if (text === null) return
    if (await write(text)) toast({ tone: 'good', title: w.copied(editor.getState().nodes.size) })
  }
  const paste = async (at?: Position) => {
    try {
      put(await navigator.clipboard.readText(), at)
    } catch {
      toast({ tone: 'bad', title: w.clipboardOff })
    }
  }
  return { copy, paste, put, tellLocked }
}

/** Whether the keyboard belongs to a field, an editor, a dialog or a menu at the moment. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]') !== null
}

/** Copy, cut and paste by the keys of the system, which need no permission. */
export function useClipboardKeys(): void {
  const w = useWords(words)
  const toast = useToast()
  const { put, tellLocked } = useClipboard()
  const take = useEffectEvent((event: ClipboardEvent) => {
    if (isTyping(event.target) || String(window.getSelection() ?? '') !== '') return
    const text = editor.getState().copy()
    if (text === null || !event.clipboardData) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', text)
    if (event.type !== 'cut') return
    const { doc, remove } = editor.getState()
    remove()
    if (!tellLocked() && editor.getState().doc === doc) toast({ tone: 'info', title: w.needed })
  })
  const drop = useEffectEvent((event: ClipboardEvent) => {
    if (isTyping(event.target) || !event.clipboardData) return
    event.preventDefault()
    put(event.clipboardData.getData('text/plain'))
  })
  useEffect(() => {
    const [onTake, onDrop] = [(event: ClipboardEvent) => take(event), (event: ClipboardEvent) => drop(event)]
    document.addEventListener('copy', onTake)
    document.addEventListener('cut', onTake)
    document.addEventListener('paste', onDrop)
    return () => {
      document.removeEventListener('copy', onTake)
      document.removeEventListener('cut', onTake)
      document.removeEventListener('paste', onDrop)
    }
  }, [])
}
