import { Link } from '@tanstack/react-router'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Duration, Since, StatusDot, Time } from '../../../shared/ui'
import { statusTones } from '../looks'
import { OPEN, type Session } from '../types'
import { words } from '../words'
import { progressOf } from './filters'

// A small window has two columns, with the rest below the name.
const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_auto] whitespace-nowrap items-center gap-3 px-4 md:px-6 ' +
  'md:grid-cols-[6rem_5.5rem_minmax(5rem,1.2fr)_7rem_7rem_4.5rem_minmax(4rem,1.4fr)] ' +
  'xl:grid-cols-[6.5rem_7rem_minmax(6rem,1.2fr)_8rem_7.5rem_5.5rem_minmax(5rem,0.8fr)_minmax(5rem,1.4fr)]'
const wide = 'hidden md:block'

/** The heads of the columns; screen readers hear them with each row. */
export function SessionHead() {
  const w = useWords(words)
  return (
    <div aria-hidden className={`${COLUMNS} border-b border-line bg-surface py-2 text-xs font-medium text-faint`}>
      <span className={wide}>{w.statusWord}</span>
      <span className={wide}>{w.started}</span>
      <span>{w.workflow}</span>
      <span>{w.progress}</span>
      <span className={wide}>{w.waitingFor}</span>
      <span className={`${wide} text-right`}>{w.took}</span>
      <span className="hidden pl-2 xl:block">{w.client}</span>
      <span className={wide}>{w.message}</span>
    </div>
  )
}

/** One session of the list; all of it is the link. */
export function SessionRow({ session }: { session: Session }) {
  const w = useWords(words)
  const { sessionId, status, startedAt, completedAt, workflowName, waiting, clientId, error } = session
  const isOpen = OPEN.includes(status)
  const dot = <StatusDot tone={statusTones[status]} pulse={session.running !== undefined && session.running !== null} />
  return (
    <Link to="/sessions/$id" params={{ id: sessionId }} className={`${COLUMNS} h-[41px] border-b border-line text-[13px] hover:bg-hover focus-visible:outline-offset-[-2px]`}>
      <span className="hidden items-center gap-2 md:flex">
        {dot}
        {w.statuses(status)}
      </span>
      <Time at={startedAt} className={`${wide} text-muted`} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{workflowName}</span>
        <span className="flex items-center gap-1.5 text-[11px] leading-4 text-muted md:hidden">
          {dot}
          <span className="min-w-0 truncate">{w.statuses(status)} · <Time at={startedAt} />{waiting && ` · ${w.waits(waiting.for)}`}{error && ` · ${error}`}</span>
        </span>
      </span>
      <Progress done={progressOf(session)} total={session.totalSteps} />
      <span className={wide}>{waiting && <Badge tone={waiting.for === 'approval' || waiting.for === 'uncertain' ? 'warn' : 'info'}>{w.waits(waiting.for)}</Badge>}</span>
      {isOpen ? <Since at={startedAt} className={`${wide} text-right text-muted`} /> : <Duration ms={(completedAt ?? startedAt) - startedAt} className={`${wide} text-right text-muted`} />}
      <span className="hidden truncate pl-2 text-muted xl:block">{clientId}</span>
      <span className={`${wide} truncate text-bad-text`}>{error}</span>
    </Link>
  )
}

/** How many steps are behind a session. */
export function Progress({ done, total }: { done: number; total: number }) {
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="h-1.5 w-16 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
      </span>
      <span className="text-xs text-muted tabular-nums">{done} / {total}</span>
    </span>
  )
}
