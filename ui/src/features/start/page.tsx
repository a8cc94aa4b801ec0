import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../shared/api/client'
import { serversQuery, statsQuery } from '../../shared/api/queries'
import type { ServerView } from '../../shared/api/types'
import { useWords } from '../../shared/lib/i18n'
import { Button, ErrorState, Loading, Page, useToast } from '../../shared/ui'
import { AddServers } from './add'
import { Client } from './client'
import { Connect } from './connect'
import { Step, type StepState } from './step'
import { words } from './words'

/** One screen from no server to the first call. */
export function StartPage() {
  const w = useWords(words)
  const servers = useQuery(serversQuery)
  const stats = useQuery({ ...statsQuery, refetchInterval: 1500 })
  if (!servers.data) {
    return <Page title={w.title}>{servers.error ? <ErrorState error={servers.error} retry={() => void servers.refetch()} /> : <Loading />}</Page>
  }
  const all = servers.data
  const running = all.filter(({ status }) => status === 'running').length
  const calls = stats.data?.calls ?? 0
  return (
    <Page title={w.title} description={w.description}>
      <ol className="max-w-4xl">
        <Step number={1} title={w.addTitle} state={all.length > 0 ? 'done' : 'open'} note={all.length > 0 && w.haveServers(all.length)}>
          <p className="mb-3 text-muted">{w.addText}</p>
          <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_17rem]">
            <AddServers />
            <Demo servers={all} />
          </div>
        </Step>
        <Step number={2} title={w.connectTitle} state={connectState(all)} note={all.length > 0 && (running === all.length ? w.allRunning : w.someRunning(running, all.length))}>
          <Connect servers={all} />
        </Step>
        <Step number={3} title={w.clientTitle} state={calls > 0 ? 'done' : running > 0 ? 'busy' : 'open'} last>
          <Client calls={calls} />
        </Step>
      </ol>
    </Page>
  )
}

function connectState(servers: ServerView[]): StepState {
  if (servers.length === 0) return 'open'
  if (servers.some(({ status }) => status === 'starting' || status === 'restarting')) return 'busy'
  return servers.every(({ status }) => status === 'running') ? 'done' : 'trouble'
}

/** The demo server in one click. */
function Demo({ servers }: { servers: ServerView[] }) {
  const w = useWords(words)
  const toast = useToast()
  const queries = useQueryClient()
  const there = servers.some(({ name }) => name === 'demo')
  const add = useMutation({
    mutationFn: () => unwrap(api.POST('/api/demo-server')),
    onError: (error) => toast({ tone: 'bad', title: w.demoFailed, error }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['servers'] }),
  })
  return (
    <aside className="flex flex-col items-start gap-2 self-start rounded-xl border border-line bg-surface p-4">
      <h3 className="font-semibold">{w.demoTitle}</h3>
      <p className="flex-1 text-[13px] text-muted">{w.demoText}</p>
      <Button needs="operator" icon={there ? 'check' : 'flask'} disabled={there} busy={add.isPending} onClick={() => add.mutate()} className="mt-1">
        {there ? w.demoThere : w.demoAdd}
      </Button>
    </aside>
  )
}
