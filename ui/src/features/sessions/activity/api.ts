import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../../shared/api/client'
import type { components } from '../../../shared/api/schema'

/** An activity as the API shows it. */
export type ActivityView = components['schemas']['ActivityView']

/** All activities, by name. */
export const activitiesQuery = queryOptions({
  queryKey: ['activities', 'whole'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/activities', { signal })),
})

/** Creates an activity. */
export const createActivity = (body: object) => unwrap(api.POST('/api/activities', { body: body as never }))

/** Changes an activity, unless somebody else changed it meanwhile. */
export function changeActivity({ name, revision }: ActivityView, patch: object) {
  const header = revision === undefined || revision === null ? {} : { 'If-Match': `"${revision}"` }
  return unwrap(api.PATCH('/api/activities/{name}', { params: { path: { name }, header }, body: patch as never }))
}

/** Deletes an activity. */
export const removeActivity = (name: string) => unwrap(api.DELETE('/api/activities/{name}', { params: { path: { name } } }))
