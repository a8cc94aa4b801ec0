import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, base, unwrap } from '../../shared/api/client'
import type { components } from '../../shared/api/schema'
import type { Filters } from './filters'

/** One entry of the audit log. */
export type Entry = Omit<components['schemas']['AuditView'], 'details'> & { details: Readonly<Record<string, unknown>> | null }

const PAGE = 100

/** The audit log in pages, the newest first. */
export function auditQuery(filters: Filters) {
  return infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...filters, limit: PAGE, ...(pageParam !== null && { before: pageParam }) }
      return (await unwrap(api.GET('/api/audit', { params: { query }, signal }))) as Entry[]
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.number),
  })
}

/** Where the whole log is to be had, one entry a line. */
export const exportAddress = new URL('api/audit/export', base).href
