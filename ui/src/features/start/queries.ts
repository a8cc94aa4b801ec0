import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../shared/api/client'

/** What would happen to each entry of a client's configuration. */
export function planQuery(text: string) {
  return queryOptions({
    queryKey: ['servers', 'plan', text],
    queryFn: ({ signal }) => unwrap(api.POST('/api/servers/import', { params: { query: { dryRun: true } }, body: { text }, signal })),
    enabled: text.trim() !== '',
    retry: false,
    staleTime: Infinity,
  })
}
