/**
 * Where the time of a call went. A reply does not say it, so the counters of the gateway are read before and
 * after: what they grew by is this call's share, as long as no other call came between.
 */
import { total, type Sample } from '../../../shared/lib/metrics'

/** Times in milliseconds; a part that cannot be told is left out. */
export interface Split {
  total: number
  server?: number
  hooks?: number
  /** The hooks that ran, each with its time. */
  parts: { hook: string; ms: number; runs: number }[]
  /** Set when other calls came between, so that nothing can be told apart. */
  crowded?: true
}

const CALLS = 'lockgate_call_duration_seconds'
const HOOKS = 'lockgate_hook_duration_seconds'

/** The split of one call to `server` that took `ms`. */
export function split(before: readonly Sample[], after: readonly Sample[], server: string, ms: number): Split {
  const grown = (name: string, labels: Record<string, string>) => total(after, name, labels) - total(before, name, labels)
  const out: Split = { total: ms, parts: [] }
  const calls = grown(`${CALLS}_count`, { server })
  const others = total(after, `${CALLS}_count`) - total(before, `${CALLS}_count`) - calls
  // Figures are only this call's when nobody else called meanwhile.
  if (calls > 1 || others > 0) return { ...out, crowded: true }
  out.server = Math.min(ms, grown(`${CALLS}_sum`, { server }) * 1000)
  const names = new Set(after.filter((one) => one.name === `${HOOKS}_count`).map((one) => one.labels['hook'] ?? ''))
  for (const hook of names) {
    const runs = grown(`${HOOKS}_count`, { hook })
    if (runs > 0) out.parts.push({ hook, runs, ms: grown(`${HOOKS}_sum`, { hook }) * 1000 })
  }
  out.hooks = out.parts.reduce((sum, part) => sum + part.ms, 0)
  return out
}
