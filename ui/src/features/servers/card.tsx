import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useRemove, useRestart, useSignIn } from '../../shared/api/servers'
import type { ServerFigures, ServerView } from '../../shared/api/types'
import { classes } from '../../shared/lib/classes'
import { formatCount, formatDuration, formatShare } from '../../shared/lib/format'
import { useLanguage, useWords } from '../../shared/lib/i18n'
import { statusLook, statusWords } from '../../shared/lib/status'
import { Badge, Button, ConfirmDialog, Icon, IconButton, Menu, Since, StatusDot, Time, useToast } from '../../shared/ui'
import { Logs } from './logs'
import { Trouble } from './trouble'
import { words } from './words'

/** Everything about one server, from the running process. */
export function ServerCard({ server, figures }: { server: ServerView; figures: ServerFigures | undefined }) {
  const w = useWords(words)
  const status = useWords(statusWords)
  const { tone, pulse } = statusLook(server.status)
  return (
    <article data-server={server.name} data-status={server.status} aria-label={server.name} className={classes('flex min-w-0 flex-col rounded-xl border border-line bg-surface shadow-card', server.status !== 'running' && 'xl:col-span-2')}>
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-4 pt-3">
        <StatusDot tone={tone} pulse={pulse} />
        <h2 className="min-w-0 truncate text-[15px] font-semibold">{server.name}</h2>
        <Badge tone={tone}>{status[server.status]}</Badge>
        {server.needsSignIn && <Badge tone="warn">{w.needsSignIn}</Badge>}
        <span className="ml-auto flex items-center gap-2.5 max-sm:order-1 max-sm:ml-2 max-sm:w-full"><Actions server={server} /></span>
        <p className="-mt-1 w-full pl-4.5 text-xs text-faint">{server.origin === 'config' ? w.fromConfig : w.fromApi}</p>
      </header>
      <Facts server={server} figures={figures} />
      <Trouble server={server} />
      {figures?.change && <Change change={figures.change} />}
    </article>
  )
}

function Facts({ server, figures }: { server: ServerView; figures: ServerFigures | undefined }) {
  const w = useWords(words)
  const { language } = useLanguage()
  return (
    <dl className="mt-3 grid grid-cols-3 gap-x-3 gap-y-3 sm:grid-cols-4 border-t border-line px-4 py-3.5">
      <Fact name={w.tools}>
        <Link to="/tools" search={{ server: server.name }} title={w.tryTools} className="inline-flex items-center gap-1 text-accent-text underline-offset-4 hover:underline">
          {server.tools}
          <Icon name="right" size={12} />
        </Link>
      </Fact>
      <Fact name={w.calls}>{formatCount(figures?.calls ?? 0, language)}</Fact>
      <Fact name={w.errors} bad={(figures?.errors ?? 0) > 0}>{formatShare(figures?.errors ?? 0, figures?.calls ?? 0)}</Fact>
      <Fact name={w.p95}>{figures && figures.calls > 0 ? formatDuration(figures.p95Us / 1000, language) : '–'}</Fact>
      <Fact name={w.uptime}>{server.startedAt ? <Since at={server.startedAt} /> : '–'}</Fact>
      <Fact name={w.restarts} bad={server.restarts > 0}>{server.restarts}</Fact>
      <Fact name={w.protocol} detail={server.era ? w.era(server.era) : undefined}>{server.protocolVersion ?? '–'}</Fact>
      <Fact name={server.clients === null || server.clients === undefined ? w.transport : w.clients} detail={server.pid ? `pid ${server.pid}` : undefined}>
        {server.clients ?? server.transport ?? '–'}
      </Fact>
    </dl>
  )
}

function Fact({ name, detail, bad, children }: { name: string; detail?: string | undefined; bad?: boolean; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="truncate text-xs text-faint">{name}</dt>
      <dd className={`truncate text-[13px] font-medium tabular-nums ${bad ? 'text-bad-text' : ''}`}>
        {children}
        {detail && <span className="block truncate text-xs font-normal text-faint">{detail}</span>}
      </dd>
    </div>
  )
}

const NAMED = 6

/** Which tools came, went and became others when the list was read last. */
function Change({ change }: { change: NonNullable<ServerFigures['change']> }) {
  const w = useWords(words)
  const parts = [
    { sign: '+', word: w.toolsAdded, names: change.added, look: 'text-good-text' },
    { sign: '−', word: w.toolsRemoved, names: change.removed, look: 'text-bad-text' },
    { sign: '~', word: w.toolsChanged, names: change.changed, look: 'text-warn-text' },
  ]
  return (
    <div role="group" aria-label={w.changed} className="border-t border-line px-4 py-2.5 text-xs text-muted">
      <span className="mr-2 font-medium">{w.changed}</span>
      <Time at={change.at} className="mr-3 text-faint" />
      {parts.flatMap(({ sign, word, names, look }) => [
        ...names.slice(0, NAMED).map((name) => <span key={sign + name} title={`${word}: ${name}`} className={`mr-2 font-mono ${look}`}><span aria-hidden>{sign}</span><span className="sr-only">{word}: </span>{name}</span>),
        names.length > NAMED && <span key={sign} title={names.slice(NAMED).join(', ')} className={`mr-2 ${look}`}>{w.andMore(names.length - NAMED)}</span>,
      ])}
    </div>
  )
}

function Actions({ server }: { server: ServerView }) {
  const w = useWords(words)
  const toast = useToast()
  const [logs, setLogs] = useState(false)
  const [removing, setRemoving] = useState(false)
  const restart = useRestart(server.name, (why) => toast({ tone: 'bad', title: w.restartFailed, ...why }))
  const remove = useRemove(server.name, (error) =>
    toast(error ? { tone: 'bad', title: w.removeFailed, error } : { tone: 'good', title: w.removed(server.name) }),
  )
  const signIn = useSignIn(server.name, (why) => toast({ tone: 'bad', title: w.signInFailed, ...why }))
  return (
    <>
      {server.needsSignIn && <Button needs="operator" size="small" busy={signIn.isPending} onClick={() => signIn.mutate()}>{w.signIn}</Button>}
      <Button size="small" look="quiet" onClick={() => setLogs(true)}>{w.logs}</Button>
      <Button needs="operator" size="small" icon="restart" busy={restart.isPending} onClick={() => restart.mutate()}>{w.restart}</Button>
      {server.origin === 'api' && (
        <Menu items={[{ label: w.remove, icon: 'trash', danger: true, needs: 'operator', onSelect: () => setRemoving(true) }]}>
          <IconButton icon="more" size="small" label={w.more} />
        </Menu>
      )}
      {logs && <Logs name={server.name} close={() => setLogs(false)} />}
      <ConfirmDialog open={removing} onOpenChange={setRemoving} title={w.removeTitle(server.name)} description={w.removeText} confirm={w.remove} danger busy={remove.isPending} onConfirm={() => remove.mutate()} />
    </>
  )
}
