import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../../shared/api/client'
import type { components } from '../../../shared/api/schema'
import { useWords } from '../../../shared/lib/i18n'
import { isInDoubt } from '../../../shared/lib/session'
import { useToast } from '../../../shared/ui'
import { words } from './words'

export type Session = components['schemas']['WorkflowSession']

/** How many sessions and runs the dashboard shows. */
export const SHOWN = 6

const OPEN = ['running', 'paused', 'pending']

/** The sessions that are open, the newest first. */
export const openSessionsQuery = queryOptions({
  queryKey: ['session-list', 'open'],
  queryFn: async ({ signal }) => {
    const ask = (status: string) => unwrap(api.GET('/api/sessions', { params: { query: { status, brief: true, limit: SHOWN } }, signal }))
    const found = (await Promise.all(OPEN.map(ask))).flat()
    return found.toSorted((a, b) => b.startedAt - a.startedAt).slice(0, SHOWN)
  },
})

export type Deed = 'continue' | 'pause' | 'cancel'

/** Continues, pauses or cancels a session. */
export function useDeed(id: string, done?: () => void) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: async (deed: Deed) => {
      const params = { path: { id } }
      if (deed === 'pause') return unwrap(api.POST('/api/sessions/{id}/pause', { params }))
      return unwrap(api.POST(deed === 'continue' ? '/api/sessions/{id}/continue' : '/api/sessions/{id}/cancel', { params, body: {} as never }))
    },
    onSuccess: (reply, deed) => {
      const { isError } = reply as { isError?: boolean | null }
      if (!isError && isInDoubt(reply)) toast({ tone: 'info', title: w.notContinued })
      else toast({ tone: isError ? 'bad' : 'good', title: isError ? w.failed : w.done(deed) })
      done?.()
    },
    onError: (error) => toast({ tone: 'bad', title: w.failed, error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['session-list'] }),
  })
}
