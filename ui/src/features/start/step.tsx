import type { ReactNode } from 'react'
import { classes } from '../../shared/lib/classes'
import { useWords } from '../../shared/lib/i18n'
import { Icon, Spinner } from '../../shared/ui'
import { words } from './words'

export type StepState = 'open' | 'busy' | 'done' | 'trouble'

interface StepProps {
  number: number
  title: string
  state: StepState
  /** A few words beside the title. */
  note?: ReactNode
  last?: boolean
  children: ReactNode
}

const looks: Record<StepState, string> = {
  open: 'border-line-strong bg-surface text-muted',
  busy: 'border-accent bg-surface text-accent-text',
  done: 'border-good bg-good-soft text-good-text',
  trouble: 'border-warn bg-warn-soft text-warn-text',
}

/** One of the three steps, with a tick that follows what happens. */
export function Step({ number, title, state, note, last, children }: StepProps) {
  const w = useWords(words)
  return (
    <li className="relative flex gap-4 pb-6" data-step={number} data-state={state}>
      {!last && <span aria-hidden className="absolute top-9 bottom-1 left-[15px] w-px bg-line-strong" />}
      <span aria-hidden className={classes('z-1 grid size-8 shrink-0 place-items-center rounded-full border-2 text-[13px] font-semibold transition-colors', looks[state])}>
        {state === 'done' ? <Icon name="check" size={16} /> : state === 'busy' ? <Spinner size={16} /> : state === 'trouble' ? <Icon name="warning" size={15} /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="flex min-h-8 flex-wrap items-center gap-x-3 text-[15px] font-semibold">
          <span className="sr-only">{w.step(number)}: </span>
          {title}
          {state === 'done' && <span className="sr-only">({w.done})</span>}
          {note && <span className="text-[13px] font-normal text-muted">{note}</span>}
        </h2>
        <div className="mt-2">{children}</div>
      </div>
    </li>
  )
}
