import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, unwrap } from '../../shared/api/client'
import { serversQuery, statsQuery } from '../../shared/api/queries'
import type { ServerView } from '../../shared/api/types'
import { useWords } from '../../shared/lib/i18n'
import { Button, EmptyState, ErrorState, Loading, Page, useToast } from '../../shared/ui'
import { ServerCard } from './card'
import { words } from './words'

/** Every server as a card; those in trouble come first. */
export function ServersPage() {
  const w = useWords(words)
  const navigate = useNavigate()
  const servers = useQuery(serversQuery)
  const stats = useQuery({ ...statsQuery, refetchInterval: 3000 })
  const add = <Button needs="operator" look="primary" icon="plus" onClick={() => void navigate({ to: '/start' })}>{w.add}</Button>
  if (!servers.data) {
    return <Page title={w.title}>{servers.error ? <ErrorState error={servers.error} retry={() => void servers.refetch()} /> : <Loading />}</Page>
  }
  const running = servers.data.filter(({ status }) => status === 'running').length
  return (
    <Page title={w.title} description={w.description(running, servers.data.length)} actions={<><Reload />{add}</>}>
      {servers.data.length === 0 ? (
        <EmptyState icon="server" title={w.emptyTitle} action={add}>{w.emptyText}</EmptyState>
      ) : (
        <div className="grid gap-4 xl:grid-cols-2">
          {inOrder(servers.data).map((server) => (
            <ServerCard key={server.name} server={server} figures={stats.data?.servers.find(({ name }) => name === server.name)} />
          ))}
        </div>
      )}
    </Page>
  )
}

/** Those in trouble first, else the order of the config file. */
function inOrder(servers: ServerView[]): ServerView[] {
  const trouble = ({ status }: ServerView) => (status === 'crashed' || status === 'stopped' ? 0 : 1)
  return servers.toSorted((a, b) => trouble(a) - trouble(b))
}

function Reload() {
  const w = useWords(words)
  const toast = useToast()
  const queries = useQueryClient()
  const reload = useMutation({
    mutationFn: () => unwrap(api.POST('/api/config/reload')),
    onSuccess: ({ added, removed, changed }) => toast({ tone: 'good', title: w.reloaded, text: w.reloadedText(added.length, removed.length, changed.length) }),
    onError: (error) => toast({ tone: 'bad', title: w.reloadFailed, error }),
    onSettled: () => queries.invalidateQueries(),
  })
  return <Button needs="operator" icon="restart" busy={reload.isPending} onClick={() => reload.mutate()}>{w.reload}</Button>
}
