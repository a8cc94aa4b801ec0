import { Link } from '@tanstack/react-router'
import { useWords } from '../../../shared/lib/i18n'
import { type Run, runTones } from '../../../shared/lib/run'
import { StatusDot, Time } from '../../../shared/ui'
import { RunTime } from '../../../shared/ui/graph/run-time'
import { words } from '../words'
import { subjectOf } from './filters'

// A small window has two columns, with the rest below the name.
const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_4.5rem] md:grid-cols-[5.5rem_7rem_minmax(6rem,1.2fr)_minmax(6rem,1fr)_minmax(5rem,0.8fr)_4.5rem_minmax(5rem,1.6fr)] whitespace-nowrap items-center gap-3 px-4 md:px-6'
const wide = 'hidden md:block'

/** The heads of the columns; screen readers hear them with each row. */
export function RunHead() {
  const w = useWords(words)
  return (
    <div aria-hidden className={`${COLUMNS} border-b border-line bg-surface py-2 text-xs font-medium text-faint`}>
      <span className={wide}>{w.status}</span>
      <span className={wide}>{w.started}</span>
      <span>{w.workflow}</span>
      <span className={wide}>{w.tool}</span>
      <span className={wide}>{w.server}</span>
      <span className="text-right">{w.took}</span>
      <span className={wide}>{w.message}</span>
    </div>
  )
}

/** One run of the list; all of it is the link. */
export function RunRow({ run }: { run: Run }) {
  const w = useWords(words)
  const { tool, server, method } = subjectOf(run)
  const dot = <StatusDot tone={runTones[run.status]} pulse={run.status === 'running'} />
  return (
    <Link to="/runs/$id" params={{ id: run.id }} className={`${COLUMNS} h-[41px] border-b border-line text-[13px] hover:bg-hover focus-visible:outline-offset-[-2px]`}>
      <span className="hidden items-center gap-2 md:flex">
        {dot}
        {w[run.status]}
      </span>
      <Time at={run.executedAt} className={`${wide} text-muted`} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{run.workflowName}</span>
        <span className="flex items-center gap-1.5 text-[11px] leading-4 text-muted md:hidden">
          {dot}
          <span className="min-w-0 truncate">{w[run.status]} · <Time at={run.executedAt} /> · {tool || method}{run.error && ` · ${run.error}`}</span>
        </span>
      </span>
      <span className={`${wide} truncate font-mono text-xs`}>{tool || method}</span>
      <span className={`${wide} truncate text-muted`}>{server}</span>
      <RunTime run={run} className="text-right text-muted" />
      <span className={`${wide} truncate text-bad-text`}>{run.error}</span>
    </Link>
  )
}
