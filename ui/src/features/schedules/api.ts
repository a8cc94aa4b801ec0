import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../shared/api/client'
import type { components } from '../../shared/api/schema'
import { useWords } from '../../shared/lib/i18n'
import { useToast } from '../../shared/ui'
import { waitFor } from './times'
import { words } from './words'

/** A schedule as the API shows it. */
export type Schedule = components['schemas']['ScheduleView']

/** All schedules in the order of their creation, read again when the next time has come. */
export const schedulesQuery = queryOptions({
  queryKey: ['schedules'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/schedules', { signal })),
  refetchInterval: ({ state }) => waitFor(state.data ?? [], Date.now()),
})

/** What the first activity of each session workflow takes, for an input to begin with. */
export const activitiesQuery = queryOptions({
  queryKey: ['activities', 'whole'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/activities', { signal })),
})

/** Creates a schedule, or changes the fields that the body names. */
export function saveSchedule(id: string | undefined, body: object): Promise<Schedule> {
  if (id === undefined) return unwrap(api.POST('/api/schedules', { body: body as never }))
  return unwrap(api.PATCH('/api/schedules/{id}', { params: { path: { id } }, body: body as never }))
}

/** Holds a schedule, or lets it go on. */
export function usePausing({ id }: Schedule) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (paused: boolean) => saveSchedule(id, { paused }),
    onSuccess: (_, paused) => toast({ tone: 'good', title: paused ? w.nowPaused : w.nowResumed }),
    onError: (error) => toast({ tone: 'bad', title: w.failed, error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}

/** Deletes a schedule; the sessions that it started stay. */
export function useRemoving({ id }: Schedule, onDone: () => void) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/schedules/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      toast({ tone: 'good', title: w.removed })
      onDone()
    },
    onError: (error) => toast({ tone: 'bad', title: w.failed, error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}
