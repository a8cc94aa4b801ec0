import { type RefObject, useEffect } from 'react'

/**
 * Gives the focus to the page when what had it on the page is gone, such as a button whose work is done or a link that
 * was followed: left with the document, the keyboard would begin at the top again.
 */
export function useKeptFocus(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = page.current
    if (!root) return
    let last: Node | null = null
    const note = ({ target }: FocusEvent) => {
      last = target instanceof Node && target !== root && root.contains(target) ? target : null
    }
    const look = () => {
      if (!last || last.isConnected) return
      last = null
      if (document.activeElement === document.body) root.focus({ preventScroll: true })
    }
    const watching = new MutationObserver(look)
    watching.observe(root, { childList: true, subtree: true })
    document.addEventListener('focusin', note)
    return () => {
      watching.disconnect()
      document.removeEventListener('focusin', note)
    }
  }, [page])
}
