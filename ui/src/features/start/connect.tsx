import { sayingOfDown } from '../../shared/api/down'
import { useLogs, useRemove, useRestart } from '../../shared/api/servers'
import type { ServerView } from '../../shared/api/types'
import { hintFor, hintWords } from '../../shared/lib/hints'
import { useLanguage, useWords } from '../../shared/lib/i18n'
import { statusLook, statusWords } from '../../shared/lib/status'
import { Button, LogTail, Notice, StatusDot, Told, useToast } from '../../shared/ui'
import { words } from './words'

/** Every server with what it does at the moment. */
export function Connect({ servers }: { servers: ServerView[] }) {
  const w = useWords(words)
  if (servers.length === 0) return <p className="text-muted">{w.connectEmpty}</p>
  return (
    <>
      <p className="mb-3 text-muted">{w.connectText}</p>
      <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
        {servers.map((server) => <One key={server.name} server={server} />)}
      </ul>
    </>
  )
}

function One({ server }: { server: ServerView }) {
  const w = useWords(words)
  const status = useWords(statusWords)
  const { tone, pulse } = statusLook(server.status)
  const running = server.status === 'running'
  return (
    <li className="px-4 py-2.5" data-server={server.name} data-status={server.status}>
      <div className="flex min-h-7 items-center gap-3">
        <StatusDot tone={tone} pulse={pulse} />
        <span className="font-medium">{server.name}</span>
        <span className="text-[13px] text-muted">{status[server.status]}</span>
        <span className="flex-1" />
        {running && <span className="text-[13px] text-muted">{w.tools(server.tools)}</span>}
        {!running && !pulse && <Mend server={server} />}
      </div>
      {!running && <Trouble server={server} />}
    </li>
  )
}

function Mend({ server }: { server: ServerView }) {
  const w = useWords(words)
  const toast = useToast()
  const restart = useRestart(server.name, (why) => toast({ tone: 'bad', title: w.restartFailed, ...why }))
  const remove = useRemove(server.name, (error) => error && toast({ tone: 'bad', title: w.removeFailed, error }))
  return (
    <span className="flex gap-2">
      <Button needs="operator" size="small" icon="restart" busy={restart.isPending} onClick={() => restart.mutate()}>{w.restart}</Button>
      {server.origin === 'api' && <Button needs="operator" size="small" look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>{w.remove}</Button>}
    </span>
  )
}

/** Why it does not run, what it wrote, and what usually helps. */
function Trouble({ server }: { server: ServerView }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const hints = useWords(hintWords)
  const logs = useLogs(server.name, 1000)
  const lines = logs.data ?? []
  const hint = hintFor(server.lastError, lines)
  return (
    <div className="mt-2 flex animate-fade flex-col gap-2 pb-1">
      {server.lastError && <Notice tone="bad"><Told saying={sayingOfDown(server.lastError, server.exitCode, language)} /></Notice>}
      {hint && server.status !== 'starting' && <Notice tone="info"><b className="font-semibold">{w.hint}: </b>{hints[hint]}</Notice>}
      <LogTail lines={lines} label={w.stderr(server.name)} empty={w.noStderr} rows={6} />
    </div>
  )
}
