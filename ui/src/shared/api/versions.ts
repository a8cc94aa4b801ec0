import { queryOptions } from '@tanstack/react-query'
import { type Graph, readGraph } from '../lib/graph'
import { api, unwrap } from './client'

/** One version of a workflow; a run names the one it passed. */
export interface Version {
  version: number
  name: string
  current: boolean
  madeAt: number
}

/** The definition that a workflow had. */
export interface VersionDefinition {
  name: string
  description: string
  workflowType: 'tools/call' | 'tools/list' | 'session'
  graph: Graph
}

/** The versions of a workflow, the newest first. */
export function versionsQuery(id: string) {
  return queryOptions({
    queryKey: ['workflows', id, 'versions'],
    queryFn: ({ signal }): Promise<Version[]> =>
      unwrap(api.GET('/api/workflows/{id}/versions', { params: { path: { id }, query: { limit: 500 } }, signal })),
  })
}

/** The definition of one version. It never changes. */
export function versionQuery(id: string, version: number) {
  return queryOptions({
    queryKey: ['version', id, version],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<VersionDefinition> => {
      const reply = api.GET('/api/workflows/{id}/versions/{version}', { params: { path: { id, version } }, signal })
      const { name, description, workflowType, nodes, edges } = await unwrap(reply)
      return { name, description: description ?? '', workflowType: workflowType as VersionDefinition['workflowType'], graph: readGraph(nodes ?? [], edges ?? []) }
    },
  })
}
