import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type EventName, useEvents } from './events'
import { reread } from './reread'

/**
 * Reads queries again when such an event says so, at most once a second however many come. Gives the way to have them
 * read again for another reason.
 */
export function useFresh(names: readonly EventName[], queryKey: string): () => void {
  const client = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout> | null>(null)
  const last = useRef(0)
  const refresh = () => {
    if (waiting.current !== null) return
    const read = () => {
      waiting.current = null
      last.current = Date.now()
      reread(client, queryKey)
    }
    waiting.current = setTimeout(read, Math.max(50, last.current + 1000 - Date.now()))
  }
  useEvents(names, refresh)
  useEffect(
    () => () => {
      if (waiting.current !== null) clearTimeout(waiting.current)
      waiting.current = null
    },
    [],
  )
  return refresh
}
