import { Link } from '@tanstack/react-router'
import { useWords } from '../../../shared/lib/i18n'
import type { Run } from '../../../shared/lib/run'
import { Duration, StatusDot, Time } from '../../../shared/ui'
import { words } from '../words'
import { subjectOf } from './filters'

const COLUMNS = 'grid grid-cols-[5.5rem_7rem_minmax(6rem,1.2fr)_minmax(6rem,1fr)_minmax(5rem,0.8fr)_4.5rem_minmax(5rem,1.6fr)] whitespace-nowrap items-center gap-3 px-6'

/** The heads of the columns; screen readers hear them with each row. */
export function RunHead() {
  const w = useWords(words)
  return (
    <div aria-hidden className={`${COLUMNS} border-b border-line bg-surface py-2 text-xs font-medium text-faint`}>
      <span>{w.status}</span>
      <span>{w.started}</span>
      <span>{w.workflow}</span>
      <span>{w.tool}</span>
      <span>{w.server}</span>
      <span className="text-right">{w.took}</span>
      <span>{w.message}</span>
    </div>
  )
}

const tones = { completed: 'good', error: 'bad', running: 'info' } as const

/** One run of the list; all of it is the link. */
export function RunRow({ run }: { run: Run }) {
  const w = useWords(words)
  const { tool, server, method } = subjectOf(run)
  return (
    <Link to="/runs/$id" params={{ id: run.id }} className={`${COLUMNS} h-[41px] border-b border-line text-[13px] hover:bg-hover focus-visible:outline-offset-[-2px]`}>
      <span className="flex items-center gap-2">
        <StatusDot tone={tones[run.status]} pulse={run.status === 'running'} />
        {w[run.status]}
      </span>
      <Time at={run.executedAt} className="text-muted" />
      <span className="truncate font-medium">{run.workflowName}</span>
      <span className="truncate font-mono text-xs">{tool || method}</span>
      <span className="truncate text-muted">{server}</span>
      <Duration ms={run.durationMs} className="text-right text-muted" />
      <span className="truncate text-bad-text">{run.error}</span>
    </Link>
  )
}
