import { useEffect, useRef } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Duration, Icon, Since, Spinner } from '../../../shared/ui'
import type { Session, StepExecution } from '../types'
import { words } from '../words'
import { type Bar, barsOf, type StepView } from './steps'

interface TimelineProps {
  session: Session
  steps: readonly StepView[]
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
}

/** What ran when and for how long, what was undone included. */
export function Timeline({ session, steps, chosen, onChoose }: TimelineProps) {
  const w = useWords(words)
  const { history, startedAt } = session
  const bars = barsOf(history)
  const running = steps.find(({ since }) => since !== undefined)
  const slow = Math.max(0, ...history.map((entry) => entry.completedAt - entry.startedAt))
  return (
    <section aria-label={w.timeline} className="flex min-h-40 flex-1 flex-col bg-surface">
      <h2 className="px-4 py-2 text-xs font-semibold text-muted">{w.timeline}</h2>
      {history.length === 0 && !running && <p className="px-4 text-[13px] text-muted">{w.noHistory}</p>}
      <ul className="px-2 pb-3">
        {history.map((entry, at) => (
          <li key={at}>
            <Row
              entry={entry}
              bar={bars[at]}
              after={entry.startedAt - startedAt}
              slowest={history.length > 1 && slow > 0 && entry.completedAt - entry.startedAt === slow}
              active={entry.stepIndex === chosen}
              onChoose={() => onChoose(entry.stepIndex === chosen ? undefined : entry.stepIndex)}
            />
          </li>
        ))}
        {running?.since !== undefined && <li><RunningRow name={running.name} index={running.index} since={running.since} after={running.since - startedAt} /></li>}
      </ul>
    </section>
  )
}

const COLUMNS = 'grid w-full grid-cols-[9rem_1fr_4.5rem] md:grid-cols-[minmax(8rem,14rem)_1fr_5rem_5.5rem] items-center gap-3 px-2 py-1 text-[13px]'

function RunningRow({ name, index, since, after }: { name: string; index: number; since: number; after: number }) {
  const w = useWords(words)
  return (
    <div className={COLUMNS}>
      <span className="flex min-w-0 items-center gap-2">
        <Spinner />
        <span className="w-5 shrink-0 text-right text-xs text-muted tabular-nums">{index + 1}</span>
        <span className="truncate">{name}</span>
        <span className="sr-only">{w.states('running')}</span>
      </span>
      <span aria-hidden className="h-3 animate-pulse-soft rounded-sm bg-info-soft" />
      <span className="text-right text-xs text-muted max-md:hidden">+<Duration ms={after} /></span>
      <Since at={since} className="text-right text-xs text-muted" />
    </div>
  )
}

interface RowProps {
  entry: StepExecution
  bar: Bar | undefined
  after: number
  slowest: boolean
  active: boolean
  onChoose: () => void
}

function Row({ entry, bar, after, slowest, active, onChoose }: RowProps) {
  const w = useWords(words)
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const fill = entry.success ? (entry.compensation ? 'bg-warn' : 'bg-good') : 'bg-bad'
  return (
    <button
      ref={row}
      type="button"
      aria-pressed={active}
      onClick={onChoose}
      className={classes(
        COLUMNS,
        'rounded-md text-left hover:bg-hover focus-visible:outline-offset-[-2px]',
        active && 'bg-accent-soft',
      )}
    >
      <span className="flex min-w-0 items-center gap-2">
        <Icon name={entry.compensation ? 'undo' : entry.success ? 'check' : 'cross'} size={14} className={entry.success ? 'text-faint' : 'text-bad'} />
        <span className="w-5 shrink-0 text-right text-xs text-muted tabular-nums">{entry.stepIndex + 1}</span>
        <span className="truncate">{entry.compensation ? w.undoneOf(entry.activityName) : entry.activityName}</span>
        {!entry.success && <span className="sr-only">{w.states('failed')}</span>}
      </span>
      <span className="relative h-3 overflow-hidden rounded-sm bg-sunken">
        {bar && <span className={classes('absolute inset-y-0 min-w-[3px] rounded-sm', fill)} style={{ left: `min(${bar.left * 100}%, 100% - 3px)`, width: `${bar.width * 100}%` }} />}
      </span>
      <span className="text-right text-xs text-muted max-md:hidden">+<Duration ms={after} /></span>
      <span className="flex items-center justify-end gap-1 text-xs text-muted">
        {slowest && <Icon name="clock" size={12} className="text-warn" />}
        {slowest && <span className="sr-only">{w.slowest}</span>}
        <Duration ms={entry.completedAt - entry.startedAt} />
      </span>
    </button>
  )
}
