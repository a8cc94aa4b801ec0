import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { serversQuery } from './queries'
import type { ServerView } from './types'

const removal = (name: string) => ['remove server', name]

/** Why something failed: a refusal of the gateway, or what a server said last. */
type Why = { error: unknown } | { text: string }

/** The last lines of a server's standard error, read again every second or two while they are shown. */
export function useLogs(name: string, interval = 2000) {
  // A server that is being removed has no log to ask for.
  const removing = useIsMutating({ mutationKey: removal(name) }) > 0
  return useQuery({
    queryKey: ['logs', name],
    queryFn: ({ signal }) => unwrap(api.GET('/api/servers/{name}/logs', { params: { path: { name } }, signal })),
    enabled: !removing,
    refetchInterval: interval,
  })
}

/** Restarts a server; `failed` is told when it does not run afterwards. */
export function useRestart(name: string, failed: (why: Why) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/servers/{name}/restart', { params: { path: { name } } })),
    onSuccess: (view) => {
      if (view.status !== 'running') failed({ text: view.lastError ?? '' })
    },
    onError: (error) => failed({ error }),
    onSettled: () => Promise.all(['servers', 'stats', 'logs'].map((key) => queries.invalidateQueries({ queryKey: [key] }))),
  })
}

/** Begins a sign-in to a remote server and opens the place for it in another window. */
export function useSignIn(name: string, failed: (why: Why) => void) {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/servers/{name}/sign-in', { params: { path: { name } } })),
    onSuccess: ({ url }) => window.open(url, '_blank', 'noopener,noreferrer'),
    onError: (error) => failed({ error }),
  })
}

/** Stops and forgets a server that was added over the API. */
export function useRemove(name: string, done: (error: Error | null) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationKey: removal(name),
    mutationFn: async () => {
      await queries.cancelQueries({ queryKey: ['logs', name] })
      await unwrap(api.DELETE('/api/servers/{name}', { params: { path: { name } } }))
    },
    onSuccess: async () => {
      await queries.cancelQueries(serversQuery)
      queries.setQueryData(serversQuery.queryKey, (all: ServerView[] | undefined) => all?.filter((server) => server.name !== name))
      done(null)
    },
    onError: done,
    onSettled: () => queries.invalidateQueries(serversQuery),
  })
}
