import { useQueryClient } from '@tanstack/react-query'
import { eventNames, useEvents, type EventName } from '../shared/api/events'
import { reread } from '../shared/api/reread'

/** Which queries an event makes stale. `lost` makes all of them stale. */
export const staleBy: Record<Exclude<EventName, 'lost'>, string[]> = {
  server: ['servers', 'stats'],
  list: ['tools', 'servers'],
  hooks: ['hooks'],
  workflows: ['workflows', 'activities', 'schedules'],
  run: ['runs'],
  // It says itself what has changed.
  running: [],
  session: ['sessions'],
}

/** Reads again what an event says has changed. */
export function useLiveQueries(): void {
  const client = useQueryClient()
  useEvents(eventNames, ({ name }) => {
    if (name === 'lost') reread(client)
    else for (const key of staleBy[name]) reread(client, key)
  })
}
