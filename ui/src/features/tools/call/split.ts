/**
 * Where the time of a call went, as the log of requests tells it. Every call names a trace of its own, by which it is
 * found again among the calls of others.
 */
import { api, unwrap } from '../../../shared/api/client'
import type { components } from '../../../shared/api/schema'
import { randomHex } from '../../../shared/lib/hex'

/** Times in milliseconds; a part that cannot be told is left out. */
export interface Split {
  total: number
  server?: number
  hooks?: number
  /** The hooks that ran, in order, each with its time. */
  ran: { hook: string; phase: string; verdict: string; ms: number }[]
  /** Set when the log does not have the call. */
  unknown?: true
}

/** The name of a new trace. */
export function newTrace(): string {
  return randomHex(16)
}

/** The header by which a call belongs to a trace. */
export function traceparent(trace: string): string {
  return `00-${trace}-${randomHex(8)}-01`
}

/** The split of the call of a trace, which took `ms`. */
export async function split(trace: string, ms: number): Promise<Split> {
  try {
    const { requests } = await unwrap(api.GET('/api/requests', { params: { query: { traceId: trace, limit: 1 } } }))
    return splitOf(requests[0], ms)
  } catch {
    return splitOf(undefined, ms)
  }
}

/** The same, of what the log says. Clocks may differ by a little, and no part is longer than the whole. */
export function splitOf(request: components['schemas']['RequestView'] | undefined, ms: number): Split {
  if (request === undefined) return { total: ms, ran: [], unknown: true }
  const server = Math.min(ms, (request.serverUs ?? 0) / 1000)
  return {
    total: ms,
    server,
    hooks: Math.min(ms - server, request.hooksUs / 1000),
    ran: request.hooks.map(({ hook, phase, verdict, durationUs }) => ({ hook, phase, verdict, ms: durationUs / 1000 })),
  }
}
