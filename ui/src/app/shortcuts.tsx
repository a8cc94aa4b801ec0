import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useWords } from '../shared/lib/i18n'
import { Dialog, Kbd } from '../shared/ui'
import { pageGroups } from './pages'
import { words } from './words'

const pages = pageGroups.flat()
const isMac = /mac/i.test(navigator.platform)

/** Whether the keyboard belongs to a field, an editor or a dialog at the moment. */
function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]') !== null
}

/** `g` and a letter lead to a page; `?` shows the list of shortcuts. */
export function useShortcuts(showSheet: () => void): void {
  const navigate = useNavigate()
  const pending = useRef(0)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return
    if (event.key === '?') {
      event.preventDefault()
      showSheet()
    } else if (event.key === 'g') {
      pending.current = event.timeStamp
    } else if (event.timeStamp - pending.current < 1500) {
      pending.current = 0
      const page = pages.find(({ key }) => key === event.key)
      if (page) void navigate({ to: page.to })
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** The list of shortcuts. */
export function ShortcutSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const w = useWords(words)
  const rows: [string[], string][] = [
    ...pages.map(({ key, word }): [string[], string] => [['g', key], w.goTo(w[word])]),
    [['?'], w.thisSheet],
    [['Esc'], w.closeSheet],
    [isMac ? ['Shift', 'Option', 'M', 'Tab'] : ['Ctrl+M', 'Tab'], w.leaveEditor],
  ]
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={w.shortcuts} size="small">
      <dl className="divide-y divide-line">
        {rows.map(([keys, meaning]) => (
          <div key={meaning} className="flex items-center justify-between gap-4 py-2">
            <dt>{meaning}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => <Kbd key={key}>{key}</Kbd>)}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
