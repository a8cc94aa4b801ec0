import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWords } from '../../shared/lib/i18n'
import { Badge, Button, Icon, IconButton, Notice, StatusDot, Time, type Tone, Until } from '../../shared/ui'
import { type Schedule, usePausing } from './api'
import type { Asked } from './page'
import { intervalOf, type State, stateOf } from './times'
import { words } from './words'

const tones: Record<State, Tone> = { active: 'good', idle: 'warn', paused: 'warn', over: 'neutral' }
const statusTones = { pending: 'neutral', running: 'info', paused: 'warn', completed: 'good', failed: 'bad', cancelled: 'neutral' } as const
const linkLook = 'text-accent-text underline underline-offset-2'

interface ScheduleCardProps {
  schedule: Schedule
  /** What it is called among the others. */
  name: string
  onAsk: (asked: Asked) => void
}

/** One schedule: what it starts and when, its next times, and the last session that it started. */
export function ScheduleCard({ schedule, name, onAsk }: ScheduleCardProps) {
  const w = useWords(words)
  const { workflowName, reason, missed, overlap } = schedule
  const state = stateOf(schedule)
  return (
    <article aria-label={name} data-schedule={schedule.id} className="rounded-xl border border-line bg-surface shadow-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-4 py-2.5">
        <h2 className="min-w-0 truncate font-semibold">{name}</h2>
        <Badge tone={tones[state]}><StatusDot tone={tones[state]} />{w.states(state)}</Badge>
        {missed === 'once' && <Badge>{w.madeUp}</Badge>}
        {overlap && <Badge>{w.overlaps}</Badge>}
        <Actions schedule={schedule} name={name} onAsk={onAsk} />
      </header>
      <dl className="grid gap-x-6 gap-y-3 px-4 py-3 text-[13px] md:grid-cols-3">
        <Fact name={w.when}><When schedule={schedule} /></Fact>
        <Fact name={w.next}><NextTimes schedule={schedule} /></Fact>
        <Fact name={w.last}><LastSession schedule={schedule} name={name} /></Fact>
      </dl>
      {reason && <div className="px-4 pb-3"><Notice tone="warn">{reason === `There is no active session workflow '${workflowName}'` ? w.inactive(workflowName) : reason}</Notice></div>}
    </article>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}

function When({ schedule: { at, everyMs, cron, timeZone } }: { schedule: Schedule }) {
  const w = useWords(words)
  if (typeof at === 'number') return <>{w.once} <Time at={at} /></>
  if (typeof everyMs === 'number') {
    const { count, unit } = intervalOf(everyMs)
    return w.every(count, unit)
  }
  return <><code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs">{cron}</code> <span className="text-muted">{timeZone ?? 'UTC'}</span></>
}

function NextTimes({ schedule: { next, paused } }: { schedule: Schedule }) {
  const w = useWords(words)
  const [first, ...rest] = next
  if (first === undefined) return <span className="text-muted">{paused ? w.whilePaused : w.noNext}</span>
  return (
    <>
      <Time at={first} className="font-medium" /> <span className="text-muted"><Until at={first} say={w.inTime} /></span>
      {rest.length > 0 && (
        <span className="mt-0.5 block text-xs text-faint">
          {w.then} {rest.map((at, index) => <span key={at}>{index > 0 && w.comma}<Time at={at} className="whitespace-nowrap" /></span>)}
        </span>
      )}
    </>
  )
}

function LastSession({ schedule: { id, lastSession }, name }: { schedule: Schedule; name: string }) {
  const w = useWords(words)
  return (
    <>
      {lastSession ? (
        <span className="flex flex-wrap items-center gap-x-2">
          <StatusDot tone={statusTones[lastSession.status]} pulse={lastSession.status === 'running'} />
          <Link to="/sessions/$id" params={{ id: lastSession.sessionId }} className={linkLook}><Time at={lastSession.startedAt} /></Link>
          <span className="text-muted">{w.statuses(lastSession.status)}</span>
        </span>
      ) : (
        <span className="text-muted">{w.noLast}</span>
      )}
      {lastSession && (
        <Link to="/sessions" search={{ client: `schedule:${id}` } as never} aria-label={w.sessionsOf(name)} className="mt-0.5 inline-flex items-center gap-1 text-xs text-accent-text hover:underline">
          {w.sessions} <Icon name="arrow" size={12} />
        </Link>
      )}
    </>
  )
}

function Actions({ schedule, name, onAsk }: ScheduleCardProps) {
  const w = useWords(words)
  const pausing = usePausing(schedule)
  const { paused } = schedule
  const [word, icon] = paused ? ([w.resume, 'play'] as const) : ([w.pause, 'pause'] as const)
  return (
    <span className="ml-auto flex items-center gap-1">
      {(paused || schedule.next.length > 0) && (
        <Button needs="editor" size="small" icon={icon} busy={pausing.isPending} aria-label={w.of(word, name)} onClick={() => pausing.mutate(!paused)}>{word}</Button>
      )}
      <IconButton needs="editor" size="small" icon="pencil" label={w.of(w.edit, name)} onClick={() => onAsk({ what: 'edit', schedule })} />
      <IconButton needs="editor" size="small" icon="trash" label={w.of(w.remove, name)} onClick={() => onAsk({ what: 'remove', schedule })} />
    </span>
  )
}
