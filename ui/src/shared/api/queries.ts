import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import type { Tool } from './types'

/** All servers with their status. */
export const serversQuery = queryOptions({
  queryKey: ['servers'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/servers', { signal })),
})

/** All tools of all servers. */
export const toolsQuery = queryOptions({
  queryKey: ['tools'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/mcp/tools', { signal }))).tools as unknown as Tool[],
})

/** All hooks in their order. */
export const hooksQuery = queryOptions({
  queryKey: ['hooks'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/hooks', { signal })),
})

/** All workflows. */
export const workflowsQuery = queryOptions({
  queryKey: ['workflows'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/workflows', { signal })),
})

/** Counts and times since the gateway started. */
export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/stats', { signal })),
})
