import type { ReactNode } from 'react'
import type { Figures } from '../../shared/api/types'
import { formatCount, formatDuration, formatShare } from '../../shared/lib/format'
import { useLanguage, useWords } from '../../shared/lib/i18n'
import { minutesOf, quantile, rates, recentBuckets, type Sample } from './samples'
import { words } from './words'

/** The figures that matter at first sight. */
export function Tiles({ figures, samples }: { figures: Figures; samples: Sample[] }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const rate = rates(samples)[1].at(-1) ?? 0
  const { buckets, recent } = recentBuckets(samples)
  const when = recent ? w.lastMinutes(minutesOf(samples)) : w.sinceStart
  const time = (q: number) => {
    const micros = quantile(figures.bounds, buckets, q)
    return micros === null ? '–' : formatDuration(micros / 1000, language)
  }
  const up = figures.servers.filter(({ status }) => status === 'running').length
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Tile name={w.rate} hint={w.rateHint(formatCount(figures.calls, language))}>{shownRate(rate)}</Tile>
      <Tile name={w.errors} hint={w.errorsHint(formatCount(figures.errors, language))} tone={figures.errors > 0 ? 'text-bad-text' : ''}>{formatShare(figures.errors, figures.calls)}</Tile>
      <Tile name={w.p50} hint={when}>{time(0.5)}</Tile>
      <Tile name={w.p95} hint={when}>{time(0.95)}</Tile>
      <Tile name={w.serversUp} hint={`${w.upFor} ${formatDuration(Math.floor(figures.uptime) * 1000, language)}`} tone={up < figures.servers.length ? 'text-warn-text' : ''}>
        {up}<span className="text-base font-normal text-faint"> / {figures.servers.length}</span>
      </Tile>
    </dl>
  )
}

/** A rate with as many digits as help. */
export function shownRate(rate: number): string {
  return rate >= 100 ? String(Math.round(rate)) : rate >= 10 ? rate.toFixed(1) : String(Number(rate.toFixed(2)))
}

function Tile({ name, hint, tone, children }: { name: string; hint: string; tone?: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col rounded-xl border border-line bg-surface px-4 py-3 shadow-card max-lg:last:col-span-2">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={`mt-0.5 text-2xl font-semibold tracking-tight tabular-nums ${tone ?? ''}`}>{children}</dd>
      <dd className="text-xs text-faint">{hint}</dd>
    </div>
  )
}
