import { queryOptions } from '@tanstack/react-query'
import { type Graph, readGraph } from '../lib/graph'
import { base, refusal } from './client'

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

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const reply = await fetch(new URL(path, base), { signal })
  if (!reply.ok) throw refusal(reply.status, await reply.json().catch(() => null))
  return (await reply.json()) as T
}

/** The versions of a workflow, the newest first. */
export function versionsQuery(id: string) {
  return queryOptions({
    queryKey: ['workflows', id, 'versions'],
    queryFn: ({ signal }) => read<Version[]>(`api/workflows/${encodeURIComponent(id)}/versions?limit=500`, signal),
  })
}

/** The definition of one version. It never changes. */
export function versionQuery(id: string, version: number) {
  return queryOptions({
    queryKey: ['version', id, version],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<VersionDefinition> => {
      const path = `api/workflows/${encodeURIComponent(id)}/versions/${version}`
      type Told = Omit<VersionDefinition, 'graph' | 'description'> & { description?: string | null; nodes: unknown[]; edges: unknown[] }
      const { name, description, workflowType, nodes, edges } = await read<Told>(path, signal)
      return { name, description: description ?? '', workflowType, graph: readGraph(nodes, edges) }
    },
  })
}
