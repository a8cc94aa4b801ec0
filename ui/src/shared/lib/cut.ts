import { useEffect } from 'react'

/** Shows the whole of a text that was cut for want of room, to whoever points at it. */
export function useCutTexts(): void {
  useEffect(() => {
    document.addEventListener('pointerover', reveal)
    return () => document.removeEventListener('pointerover', reveal)
  }, [])
}

function reveal({ target }: PointerEvent): void {
  const text = target instanceof Element ? target.closest<HTMLElement>('.truncate, .md\\:truncate') : null
  if (!text) return
  const isCut = text.scrollWidth > text.clientWidth
  if (isCut && text.closest('[title]') === null) {
    text.title = text.textContent ?? ''
    text.dataset['cut'] = ''
  } else if ('cut' in text.dataset) {
    // It may say something else by now, or have more room.
    text.title = isCut ? (text.textContent ?? '') : ''
  }
}
