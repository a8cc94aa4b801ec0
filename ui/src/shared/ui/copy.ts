import { useWords } from '../lib/i18n'
import { useToast } from './say'
import { words } from './words'

/** Gives the way to put a text on the clipboard, which tells whether it is there; when it is not, the page says so. */
export function useCopy(): (text: string) => Promise<boolean> {
  const w = useWords(words)
  const toast = useToast()
  return async (text) => {
    const copied = navigator.clipboard ? await navigator.clipboard.writeText(text).then(() => true, () => false) : copySelected(text)
    if (!copied) toast({ tone: 'bad', title: w.copyFailed })
    return copied
  }
}

/** Copies without the clipboard of secure pages: a page that is not served over HTTPS copies what is selected. */
function copySelected(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'fixed top-0 opacity-0'
  // A window takes the focus back from whatever is outside of it, and the selection with it.
  const place = before?.closest('[role=dialog]') ?? document.body
  place.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return copied
}
