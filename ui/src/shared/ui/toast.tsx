import { Toast as Radix } from 'radix-ui'
import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { useWords } from '../lib/i18n'
import { IconButton } from './button'
import { Failure } from './failure'
import { Icon } from './icons'
import { ToastContext, type Note, type Show } from './say'
import { words } from './words'

let lastId = 0

const tones = { good: ['check', 'text-good-text bg-good-soft'], bad: ['warning', 'text-bad-text bg-bad-soft'], info: ['info', 'text-info-text bg-info-soft'] } as const

/** Holds the short messages at the lower right. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const w = useWords(words)
  const [notes, setNotes] = useState<Note[]>([])
  const show = useCallback<Show>((note) => {
    lastId += 1
    const id = lastId
    setNotes((all) => [...all.slice(-3), { ...note, id }])
  }, [])
  const value = useMemo(() => show, [show])
  return (
    <ToastContext value={value}>
      <Radix.Provider label={w.notifications} duration={5000}>
        {children}
        {notes.map((note) => (
          <One key={note.id} note={note} close={() => setNotes((all) => all.filter(({ id }) => id !== note.id))} />
        ))}
        <Radix.Viewport label={`${w.notifications} ({hotkey})`} className="fixed right-4 bottom-4 z-50 flex w-96 max-w-[calc(100vw-32px)] flex-col gap-2" />
      </Radix.Provider>
    </ToastContext>
  )
}

function One({ note, close }: { note: Note; close: () => void }) {
  const w = useWords(words)
  const [icon, look] = tones[note.tone]
  return (
    <Radix.Root
      type={note.tone === 'bad' ? 'foreground' : 'background'}
      onOpenChange={(open) => !open && close()}
      className="flex animate-appear items-start gap-3 rounded-lg border border-line bg-raised p-3 shadow-pop"
    >
      <span className={`grid size-6 shrink-0 place-items-center rounded-full ${look}`}><Icon name={icon} size={14} /></span>
      <div className="min-w-0 flex-1 pt-0.5">
        <Radix.Title className="text-[13px] font-medium">{note.title ?? <Failure error={note.error} />}</Radix.Title>
        {note.title && note.error !== undefined && <Radix.Description className="mt-0.5 text-[13px] text-muted [overflow-wrap:anywhere]"><Failure error={note.error} /></Radix.Description>}
        {note.text && <Radix.Description className="mt-0.5 text-[13px] text-muted [overflow-wrap:anywhere]">{note.text}</Radix.Description>}
      </div>
      <Radix.Close asChild><IconButton icon="cross" size="small" label={w.dismiss} tooltip={false} /></Radix.Close>
    </Radix.Root>
  )
}
