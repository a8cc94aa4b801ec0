import { classes } from '../../../shared/lib/classes'
import { formatCount } from '../../../shared/lib/format'
import { useLanguage, useWords } from '../../../shared/lib/i18n'
import { StatusDot } from '../../../shared/ui'
import { statusTones } from '../looks'
import { type SessionStats, type SessionStatus, STATUSES } from '../types'
import { words } from '../words'
import type { Filters } from './filters'

interface StatusStripProps {
  stats: SessionStats
  filters: Filters
  onChange: (filters: Filters) => void
}

/** How many sessions are in each status; a press shows only those. */
export function StatusStrip({ stats, filters, onChange }: StatusStripProps) {
  const w = useWords(words)
  const { status: chosen, ...rest } = filters
  return (
    <div role="group" aria-label={w.statusWord} className="flex flex-wrap gap-1 max-md:-mx-4 max-md:w-[calc(100%+2rem)] max-md:flex-nowrap max-md:overflow-x-auto max-md:px-4">
      <Count label={w.every} count={stats.total} active={!chosen} onClick={() => onChange(rest)} />
      {STATUSES.map((status) => (
        <Count
          key={status}
          status={status}
          label={w.statuses(status)}
          count={stats.byStatus[status] ?? 0}
          active={chosen === status}
          onClick={() => onChange(chosen === status ? rest : { ...rest, status })}
        />
      ))}
    </div>
  )
}

function Count({ label, count, status, active, onClick }: { label: string; count: number; status?: SessionStatus; active: boolean; onClick: () => void }) {
  const { language } = useLanguage()
  return (
    <button
      type="button"
      aria-pressed={active}
      onClick={onClick}
      className={classes('flex shrink-0 items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-[13px] whitespace-nowrap', active ? 'border-accent bg-accent-soft text-accent-text' : 'border-line text-muted hover:bg-hover')}
    >
      {status && <StatusDot tone={statusTones[status]} />}
      {label}
      <span className={classes('font-medium tabular-nums', !active && 'text-ink')}>{formatCount(count, language)}</span>
    </button>
  )
}
