import type { QueryClient } from '@tanstack/react-query'

/**
 * Has queries read again, all of them without a key. An answer that is still on its way and is the first one may be
 * older than what happened, so it is asked for once more when it is there.
 */
export function reread(client: QueryClient, key?: string): void {
  const filters = key === undefined ? {} : { queryKey: [key] }
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    if (query.state.data !== undefined) continue
    const again = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    void query.promise?.then(again, () => undefined)
  }
  void client.invalidateQueries(filters)
}
