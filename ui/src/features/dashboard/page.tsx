import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Figures } from '../../shared/api/types'
import { useWords } from '../../shared/lib/i18n'
import { useTheme } from '../../shared/lib/theme'
import { Button, Card, EmptyState, ErrorState, late, Loading, Page } from '../../shared/ui'
import { useFigures } from './history'
import { rates, WINDOW, type Sample } from './samples'
import { Failing, Hooks, Servers, Slowest } from './tables'
import { shownRate, Tiles } from './tiles'
import { Work } from './work/card'
import { words } from './words'

const Chart = late(async () => (await import('./chart')).default, <div className="h-[190px]" />)

/** What the gateway does at the moment, and what needs a look. */
export function DashboardPage() {
  const w = useWords(words)
  const { stats, samples } = useFigures()
  if (!stats.data) {
    return <Page title={w.title}>{stats.error ? <ErrorState error={stats.error} retry={() => void stats.refetch()} /> : <Loading />}</Page>
  }
  const figures = stats.data
  return (
    <Page title={w.title} description={w.description}>
      <div className="flex flex-col gap-4">
        <Tiles figures={figures} samples={samples} />
        {figures.calls === 0 ? <Quiet /> : <Activity samples={samples} />}
        <Work />
        <Servers servers={figures.servers} />
        <Details figures={figures} />
      </div>
    </Page>
  )
}

function Details({ figures }: { figures: Figures }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        <Slowest figures={figures} />
        <Hooks hooks={figures.hooks} />
      </div>
      <Failing figures={figures} />
    </div>
  )
}

function Activity({ samples }: { samples: Sample[] }) {
  const w = useWords(words)
  const { shown } = useTheme()
  const rows = useMemo(() => rates(samples), [samples])
  const now = w.chartSummary(shownRate(rows[1].at(-1) ?? 0), shownRate(rows[2].at(-1) ?? 0))
  const legend = (
    <span className="flex gap-4 text-xs text-muted">
      <span className="inline-flex items-center gap-1.5"><span className="h-0.5 w-4 rounded bg-accent" />{w.callsPerSecond}</span>
      <span className="inline-flex items-center gap-1.5"><span className="h-0.5 w-4 rounded bg-bad" />{w.errorsPerSecond}</span>
    </span>
  )
  return (
    <Card title={w.chart} actions={legend}>
      <p className="sr-only">{now}</p>
      <Chart rows={rows} calls={w.callsPerSecond} errors={w.errorsPerSecond} theme={shown} />
      <p className="mt-2 text-xs text-faint">{w.chartSince(WINDOW / 60_000)}</p>
    </Card>
  )
}

/** What to do next while nothing has happened. */
function Quiet() {
  const w = useWords(words)
  const navigate = useNavigate()
  return (
    <EmptyState
      icon="activity"
      title={w.quietTitle}
      action={
        <>
          <Button look="primary" icon="link" onClick={() => void navigate({ to: '/start' })}>{w.connect}</Button>
          <Button icon="play" onClick={() => void navigate({ to: '/tools' })}>{w.tryTool}</Button>
        </>
      }
    >
      {w.quietText}
    </EmptyState>
  )
}
