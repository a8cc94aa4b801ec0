import type { Figures } from '../../shared/api/types'

/** The counters at one moment. */
export interface Sample {
  at: number
  calls: number
  errors: number
  buckets: number[]
}

/** How long samples are kept, in milliseconds. */
export const WINDOW = 5 * 60_000

/** Adds the counters of now. A gateway that started again begins anew, since its counters do. */
export function withSample(samples: readonly Sample[], figures: Figures): Sample[] {
  const { at, calls, errors, buckets } = figures
  const last = samples.at(-1)
  if (last && at <= last.at) return [...samples]
  const kept = last && isNew(figures, last) ? [] : samples.filter((sample) => at - sample.at <= WINDOW)
  return [...kept, { at, calls, errors, buckets }]
}

/** Whether the process is another one than that of the last sample: it began after it, or a counter went back. */
function isNew({ at, uptime, calls, errors, buckets }: Figures, last: Sample): boolean {
  const began = at - uptime * 1000
  return began > last.at || calls < last.calls || errors < last.errors || last.buckets.some((count, index) => (buckets[index] ?? 0) < count)
}

/** Calls and errors per second between each two samples: three rows of equal length, as charts take them. */
export function rates(samples: readonly Sample[]): [number[], number[], number[]] {
  const rows: [number[], number[], number[]] = [[], [], []]
  samples.slice(1).forEach((sample, index) => {
    const before = samples[index]
    if (!before) return
    const seconds = (sample.at - before.at) / 1000
    rows[0].push(sample.at / 1000)
    rows[1].push((sample.calls - before.calls) / seconds)
    rows[2].push((sample.errors - before.errors) / seconds)
  })
  return rows
}

/** Calls per time bucket within the window; those since the start when none came since. */
export function recentBuckets(samples: readonly Sample[]): { buckets: number[]; recent: boolean } {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last) return { buckets: [], recent: false }
  const buckets = last.buckets.map((count, at) => count - (first.buckets[at] ?? 0))
  return buckets.some((count) => count > 0) ? { buckets, recent: true } : { buckets: last.buckets, recent: false }
}

/** How many minutes the samples reach back, begun ones included. */
export function minutesOf(samples: readonly Sample[]): number {
  return Math.max(1, Math.ceil(((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 60_000))
}

/** The time in microseconds that the part `q` of all calls stays below, as evenly spread inside its bucket. */
export function quantile(bounds: readonly number[], buckets: readonly number[], q: number): number | null {
  const all = buckets.reduce((sum, count) => sum + count, 0)
  if (all === 0) return null
  let before = 0
  let lower = 0
  for (const [at, upper] of bounds.entries()) {
    const count = buckets[at] ?? 0
    if (count > 0 && before + count >= q * all) return lower + ((q * all - before) / count) * (upper - lower)
    before += count
    lower = upper
  }
  return lower
}
