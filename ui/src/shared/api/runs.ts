import { type InfiniteData, infiniteQueryOptions, type QueryKey, queryOptions, useQueryClient } from '@tanstack/react-query'
import { advanced, begun, type Progress, type Run } from '../lib/run'
import { api, unwrap } from './client'
import { useEvents } from './events'
import { useFresh } from './fresh'

/** How many runs a page holds. */
const PAGE = 100

/** Which runs are wanted. */
export interface Wanted {
  readonly workflow?: string
  readonly status?: Run['status']
  /** A part of the name of the tool. */
  readonly tool?: string
}

/** Runs for a list: what was sent and answered is read with the one that is looked at. */
async function listRuns({ workflow, status, tool }: Wanted, limit: number, offset: number, signal: AbortSignal): Promise<Run[]> {
  const query = { brief: true, limit, offset, ...(workflow && { workflowId: workflow }), ...(status && { status }), ...(tool && { tool }) }
  return (await unwrap(api.GET('/api/runs', { params: { query }, signal }))) as unknown as Run[]
}

/** The newest runs, of all workflows or of one. */
export function runsQuery(workflowId?: string, limit = PAGE) {
  return queryOptions({
    queryKey: ['run-list', { workflowId: workflowId ?? null, limit }],
    queryFn: ({ signal }) => listRuns({ ...(workflowId && { workflow: workflowId }) }, limit, 0, signal),
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

/** Reads runs again when some have ended, and follows those that are under way. */
export function useLiveRuns(): void {
  const client = useQueryClient()
  const refresh = useFresh(['run', 'lost'], 'run-list')
  useEvents(['running'], ({ data }) => {
    const progress = data as unknown as Progress
    for (const [key, known] of client.getQueriesData<Runs>({ queryKey: ['run-list'] })) {
      if (known === undefined || !concerns(key, progress)) continue
      const next = followed(known, progress)
      if (next !== known) client.setQueryData(key, next)
      // What it was called with is not told; it is read.
      if (Array.isArray(next) && next.length > (known as Run[]).length) refresh()
    }
  })
}

type Runs = Run | Run[] | InfiniteData<Run[]>

/** Whether an answer holds runs of that workflow, by the key under which it is kept. */
function concerns([, kind, of]: QueryKey, { id, workflowId }: Progress): boolean {
  if (kind === 'pages') return isFor(of as Wanted, workflowId)
  if (typeof kind === 'string') return kind === id
  const wanted = (kind as { workflowId: string | null }).workflowId
  return wanted === null || wanted === workflowId
}

/** Whether a run that is under way may be among those that are wanted. What it was called with is not told. */
function isFor({ workflow, status, tool }: Wanted, workflowId: string): boolean {
  return tool === undefined && (status === undefined || status === 'running') && (workflow === undefined || workflow === workflowId)
}

/** An answer in which a run has come further; one that is not there yet is the newest. */
export function followed(known: Runs, progress: Progress): Runs {
  if ('pages' in known) {
    const [first = [], ...rest] = known.pages
    if (rest.some((page) => page.some(({ id }) => id === progress.id))) return known
    return { ...known, pages: [followed(first, progress) as Run[], ...rest] }
  }
  if (!Array.isArray(known)) return advanced(known, progress)
  if (known.some(({ id }) => id === progress.id)) return known.map((run) => (run.id === progress.id ? advanced(run, progress) : run))
  // One that is older than all that are shown has ended, or does not matter here.
  const newest = known[0]
  return newest && newest.executedAt > progress.executedAt ? known : [begun(progress), ...known]
}

/** Runs in pages, the newest first. */
export function runPagesQuery(wanted: Wanted) {
  return infiniteQueryOptions({
    queryKey: ['run-list', 'pages', wanted],
    queryFn: ({ signal, pageParam }) => listRuns(wanted, PAGE, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.length < PAGE ? undefined : all.length * PAGE),
  })
}
