import { infiniteQueryOptions } from '@tanstack/react-query'
import { ask, base } from '../../shared/api/client'
import type { Filters } from './filters'

/** One entry of the audit log. */
export interface Entry {
  readonly number: number
  readonly at: number
  readonly kind: string
  readonly who: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>> | null
  readonly previous: string
  readonly hash: string
}

const PAGE = 100

/** The audit log in pages, the newest first. */
export function auditQuery(filters: Filters) {
  return infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({ ...filters, limit: String(PAGE), ...(pageParam !== null && { before: String(pageParam) }) })
      return ask<Entry[]>(`api/audit?${query}`, signal)
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.number),
  })
}

/** Where the whole log is to be had, one entry a line. */
export const exportAddress = new URL('api/audit/export', base).href
