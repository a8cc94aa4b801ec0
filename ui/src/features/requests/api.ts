import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../shared/api/client'
import type { components } from '../../shared/api/schema'
import type { Filters } from './filters'

/** A hook that ran: which version of it, before or after the server, and what came of it. */
export type Ran = components['schemas']['Mark']

/** One request of a client, as the log shows it: never what was sent or answered. */
export type RequestView = components['schemas']['RequestView']

const LIMIT = 100

/** The last requests in pages, the newest first; the first page is read again while it is alone. */
export function requestsQuery(filters: Filters, live: boolean) {
  return infiniteQueryOptions({
    queryKey: ['requests', filters],
    queryFn: ({ signal, pageParam }) => {
      const { slower, ...rest } = filters
      const query = { ...rest, limit: LIMIT, ...(slower && { slower: Number(slower) }), ...(pageParam !== null && { before: pageParam }) }
      return unwrap(api.GET('/api/requests', { params: { query }, signal }))
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: ({ state }) => (live && (state.data?.pages.length ?? 1) === 1 ? 2000 : false),
  })
}
