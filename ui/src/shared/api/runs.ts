import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Run } from '../lib/run'
import { api, unwrap } from './client'
import { useEvents } from './events'

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

/** Reads runs again when some have ended, at most once a second however many there are. */
export function useLiveRuns(): void {
  const client = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout> | null>(null)
  const last = useRef(0)
  useEvents(['run', 'lost'], () => {
    if (waiting.current !== null) return
    const read = () => {
      waiting.current = null
      last.current = Date.now()
      void client.invalidateQueries({ queryKey: ['run-list'] })
    }
    waiting.current = setTimeout(read, Math.max(50, last.current + 1000 - Date.now()))
  })
  useEffect(
    () => () => {
      if (waiting.current !== null) clearTimeout(waiting.current)
      waiting.current = null
    },
    [],
  )
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
