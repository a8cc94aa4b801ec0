import { infiniteQueryOptions } from '@tanstack/react-query'
import { ask } from '../../shared/api/client'
import type { Filters } from './filters'

/** A hook that ran: which version of it, before or after the server, and what came of it. */
export interface Ran {
  readonly hook: string
  readonly version: number
  readonly phase: string
  readonly verdict: string
}

/** One request of a client, as the log shows it: never what was sent or answered. */
export interface RequestView {
  readonly id: number
  /** When it ended. */
  readonly at: number
  readonly way: string
  readonly client: string
  readonly method: string
  readonly server: string | null
  readonly tool: string | null
  /** `ok`, or why it failed. */
  readonly outcome: string
  readonly durationUs: number
  readonly hooks: readonly Ran[]
  readonly traceId: string | null
}

interface Page {
  readonly requests: readonly RequestView[]
  readonly next: number | null
}

const LIMIT = 100

/** The last requests in pages, the newest first; the first page is read again while it is alone. */
export function requestsQuery(filters: Filters, live: boolean) {
  return infiniteQueryOptions({
    queryKey: ['requests', filters],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({ ...filters, limit: String(LIMIT), ...(pageParam !== null && { before: String(pageParam) }) })
      return ask<Page>(`api/requests?${query}`, signal)
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: ({ state }) => (live && (state.data?.pages.length ?? 1) === 1 ? 2000 : false),
  })
}
