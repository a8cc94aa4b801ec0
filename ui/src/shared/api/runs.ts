import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Run } from '../lib/run'
import { api, unwrap } from './client'
import { useFresh } from './fresh'

/** How many runs a page holds; each comes whole, so it is not the most that the gateway gives. */
const PAGE = 100

/** The newest runs, of all workflows or of one. */
export function runsQuery(workflowId?: string, limit = PAGE) {
  return queryOptions({
    queryKey: ['run-list', { workflowId: workflowId ?? null, limit }],
    queryFn: async ({ signal }) => {
      const query = { limit, ...(workflowId ? { workflowId } : {}) }
      return (await unwrap(api.GET('/api/runs', { params: { query }, signal }))) as unknown as Run[]
    },
  })
}

/** One run. */
export function runQuery(id: string) {
  return queryOptions({
    queryKey: ['run-list', id],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/runs/{id}', { params: { path: { id } }, signal }))) as unknown as Run,
  })
}

/** Reads runs again when some have ended. */
export function useLiveRuns(): void {
  useFresh(['run', 'lost'], 'run-list')
}

/** Runs in pages, the newest first. */
export function runPagesQuery(workflowId?: string) {
  return infiniteQueryOptions({
    queryKey: ['run-list', 'pages', workflowId ?? null],
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: PAGE, offset: pageParam, ...(workflowId ? { workflowId } : {}) }
      return (await unwrap(api.GET('/api/runs', { params: { query }, signal }))) as unknown as Run[]
    },
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.length < PAGE ? undefined : all.length * PAGE),
  })
}
