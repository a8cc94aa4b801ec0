import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../shared/api/client'
import { useFresh } from '../../shared/api/fresh'
import { useWords } from '../../shared/lib/i18n'
import { isInDoubt } from '../../shared/lib/session'
import { useToast } from '../../shared/ui'
import type { Filters } from './list/filters'
import { sayingOf } from './reply'
import type { Reply, Session, StepDetail } from './types'
import { words } from './words'

const PAGE = 200

/** Sessions in pages, the newest first, with how many there are. */
export function sessionPagesQuery({ status, workflow, waiting, client }: Filters) {
  return infiniteQueryOptions({
    queryKey: ['session-list', 'pages', status ?? null, workflow ?? null, waiting ?? null, client ?? null],
    queryFn: async ({ signal, pageParam }) => {
      const filter = { ...(status && { status }), ...(workflow && { workflowName: workflow }), ...(waiting && { waiting }), ...(client && { clientId: client }) }
      const reply = api.GET('/api/sessions', { params: { query: { ...filter, brief: true, limit: PAGE, offset: pageParam } }, signal })
      const sessions = (await unwrap(reply)) as unknown as Session[]
      return { sessions, total: Number((await reply).response.headers.get('x-total-count') ?? sessions.length) }
    },
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.sessions.length < PAGE ? undefined : all.length * PAGE),
  })
}

/** The sessions in which somebody is asked something. */
export const inboxQuery = queryOptions({
  queryKey: ['session-list', 'inbox'],
  queryFn: async ({ signal }) => {
    const ask = (waiting: string) => unwrap(api.GET('/api/sessions', { params: { query: { waiting, limit: 100 } }, signal }))
    const both = await Promise.all([ask('approval'), ask('uncertain')])
    return both.flat() as unknown as Session[]
  },
})

/** How many sessions there are. */
export const sessionStatsQuery = queryOptions({
  queryKey: ['session-list', 'stats'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/sessions/stats', { signal })),
})

/** One session. */
export function sessionQuery(id: string) {
  return queryOptions({
    queryKey: ['session-list', 'one', id],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/sessions/{id}', { params: { path: { id } }, signal }))) as unknown as Session,
  })
}

/** What one step of a session was given and what it gave. */
export function stepQuery(id: string, index: number) {
  return queryOptions({
    queryKey: ['session-list', 'step', id, index],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/sessions/{id}/steps/{index}', { params: { path: { id, index } }, signal }))) as StepDetail,
  })
}

/** The sessions that run as steps of a session. */
export function childrenQuery(parent: string) {
  return queryOptions({
    queryKey: ['session-list', 'children', parent],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/sessions', { params: { query: { parent, brief: true, limit: 100 } }, signal }))) as unknown as Session[],
  })
}

/** Reads sessions again when some have moved. */
export function useLiveSessions(): void {
  useFresh(['session', 'lost'], 'session-list')
}

/** What can be done with a session. */
export type Deed =
  | { do: 'continue'; body: Record<string, unknown> }
  | { do: 'pause' }
  | { do: 'cancel'; compensate: boolean }
  | { do: 'approve'; digest: string; allow: boolean; reason?: string }
  | { do: 'event'; event: string; data: unknown }

async function perform(id: string, deed: Deed): Promise<Reply> {
  const params = { path: { id } }
  switch (deed.do) {
    case 'continue':
      return (await unwrap(api.POST('/api/sessions/{id}/continue', { params, body: deed.body as never }))) as Reply
    case 'pause':
      return (await unwrap(api.POST('/api/sessions/{id}/pause', { params }))) as Reply
    case 'cancel':
      return (await unwrap(api.POST('/api/sessions/{id}/cancel', { params, body: { compensate: deed.compensate } as never }))) as Reply
    case 'approve': {
      const { digest, allow, reason } = deed
      return (await unwrap(api.POST('/api/sessions/{id}/approve', { params, body: { digest, allow, ...(reason && { reason }) } }))) as Reply
    }
    case 'event': {
      const { event, data } = deed
      const { delivered } = await unwrap(api.POST('/api/sessions/events', { body: { event, data: data as never, sessionId: id } }))
      return delivered > 0 ? {} : { isError: true }
    }
  }
}

/** Does something with a session and says what came of it. */
export function useDeed(id: string, done?: () => void) {
  const client = useQueryClient()
  const toast = useToast()
  const w = useWords(words)
  return useMutation({
    mutationFn: (deed: Deed) => perform(id, deed),
    onSuccess: (reply, deed) => {
      const text = sayingOf(reply, w)
      if (reply.isError) toast({ tone: 'bad', title: w.notDone, text: text || w.nobodyWaits })
      else if (isInDoubt(reply)) toast({ tone: 'info', title: w.notContinued, text })
      else toast({ tone: 'good', title: w.deeds(deed.do), text })
      done?.()
    },
    onError: (error) => toast({ tone: 'bad', title: w.notDone, error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['session-list'] }),
  })
}

/** Starts a session of a workflow. */
export async function startSession(workflowId: string, input: unknown): Promise<Reply> {
  return (await unwrap(api.POST('/api/workflows/{id}/execute', { params: { path: { id: workflowId } }, body: input as never }))) as unknown as Reply
}
