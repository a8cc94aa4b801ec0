import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useFresh } from '../../../shared/api/fresh'
import { runsQuery, useLiveRuns } from '../../../shared/api/runs'
import { apart } from '../../../shared/lib/apart'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { type Run, runTones } from '../../../shared/lib/run'
import { Badge, Card, type Column, ConfirmDialog, IconButton, Menu, type MenuItem, Since, StatusDot, Table, Time } from '../../../shared/ui'
import { RunTime } from '../../../shared/ui/graph/run-time'
import { openSessionsQuery, type Session, SHOWN, useDeed } from './api'
import { type Segment, segmentsOf } from './segments'
import { words } from './words'

const linkLook = 'block truncate font-medium underline-offset-4 hover:underline'
const allLook = 'text-[13px] text-accent-text underline-offset-4 hover:underline'

/** What is under way and what has just ended; nothing while there is neither. */
export function Work() {
  useFresh(['session', 'lost'], 'session-list')
  useLiveRuns()
  const { data: sessions } = useQuery(openSessionsQuery)
  const { data: runs } = useQuery(runsQuery(undefined, SHOWN))
  const both = (sessions?.length ?? 0) > 0 && (runs?.length ?? 0) > 0
  if (!sessions?.length && !runs?.length) return null
  return (
    <div className={classes('grid items-start gap-4', both && 'grid-cols-[repeat(auto-fit,minmax(min(100%,36rem),1fr))]')}>
      {sessions && sessions.length > 0 && <Sessions sessions={sessions} />}
      {runs && runs.length > 0 && <Runs runs={runs} />}
    </div>
  )
}

function Sessions({ sessions }: { sessions: Session[] }) {
  const w = useWords(words)
  const names = apart(sessions, ({ workflowName }) => workflowName, ({ sessionId }) => sessionId)
  const nameOf = new Map(sessions.map(({ sessionId }, at) => [sessionId, names[at] ?? '']))
  const columns: Column<Session>[] = [
    { key: 'workflow', title: w.workflow, className: 'w-full max-w-0 min-w-28', render: ({ sessionId }) => <Link to="/sessions/$id" params={{ id: sessionId }} title={nameOf.get(sessionId)} className={linkLook}>{nameOf.get(sessionId)}</Link> },
    { key: 'steps', title: w.steps, render: (session) => <Steps session={session} /> },
    { key: 'state', title: w.state, className: 'whitespace-nowrap', render: (session) => <State session={session} /> },
    { key: 'since', title: w.since, align: 'right', render: ({ startedAt }) => <Since at={startedAt} className="text-muted" /> },
    { key: 'action', title: <span className="sr-only">{w.continue}</span>, align: 'right', pinned: true, render: (session) => <Actions session={session} name={nameOf.get(session.sessionId) ?? ''} /> },
  ]
  return (
    <Card title={w.sessions} actions={<Link to="/sessions" className={allLook}>{w.all}</Link>} flush>
      <Table label={w.sessions} columns={columns} rows={sessions} rowKey={({ sessionId }) => sessionId} />
    </Card>
  )
}

const fills: Record<Segment, string> = { done: 'bg-good', failed: 'bg-bad', running: 'bg-info animate-pulse-soft', waiting: 'bg-warn', open: 'bg-line-strong' }

function Steps({ session }: { session: Session }) {
  const w = useWords(words)
  const segments = segmentsOf(session)
  const behind = segments.filter((segment) => segment === 'done' || segment === 'failed').length
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="flex h-1.5 w-16 gap-px overflow-hidden rounded-full">
        {segments.map((segment, at) => <span key={at} title={`${at + 1}: ${w.segments(segment)}`} data-segment={segment} className={classes('flex-1', fills[segment])} />)}
      </span>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">{w.step(behind, segments.length)}</span>
    </span>
  )
}

function State({ session: { status, running, waiting } }: { session: Session }) {
  const w = useWords(words)
  if (waiting) return <Badge tone="warn">{w.waits(waiting.for)}</Badge>
  if (running) return <Badge tone="info"><StatusDot tone="info" pulse />{w.runningStep(running.stepIndex + 1)} <Since at={running.since} /></Badge>
  return <span className="text-muted">{status === 'paused' ? w.paused : w.ready}</span>
}

function Actions({ session: { sessionId, status, running, waiting }, name }: { session: Session; name: string }) {
  const w = useWords(words)
  const [asking, setAsking] = useState(false)
  const deed = useDeed(sessionId, () => setAsking(false))
  const items: MenuItem[] = [
    ...(waiting || running ? [] : [{ label: w.continue, icon: 'play', needs: 'operator', onSelect: () => deed.mutate('continue') } as const]),
    ...(status === 'paused' ? [] : [{ label: w.pause, icon: 'pause', needs: 'operator', onSelect: () => deed.mutate('pause') } as const]),
    { label: w.cancel, icon: 'stop', danger: true, needs: 'operator', onSelect: () => setAsking(true) },
  ]
  return (
    <>
      <Menu items={items}><IconButton icon="more" size="small" tooltip={false} label={w.actions(name)} busy={deed.isPending} /></Menu>
      <ConfirmDialog open={asking} onOpenChange={setAsking} danger title={w.cancelTitle} description={w.cancelText} confirm={w.cancel} busy={deed.isPending} onConfirm={() => deed.mutate('cancel')}><p className="font-medium [overflow-wrap:anywhere]">{name}</p></ConfirmDialog>
    </>
  )
}

function Runs({ runs }: { runs: Run[] }) {
  const w = useWords(words)
  const slow = Math.max(...runs.map(({ durationMs }) => durationMs))
  const columns: Column<Run>[] = [
    {
      key: 'workflow', title: w.workflow, className: 'w-full max-w-0 min-w-40',
      render: ({ id, workflowName, context }) => (
        <>
          <Link to="/runs/$id" params={{ id }} className={linkLook}>{workflowName}</Link>
          <span className="block truncate font-mono text-xs text-faint">{(context as { toolName?: string }).toolName}</span>
        </>
      ),
    },
    { key: 'state', title: w.state, className: 'whitespace-nowrap', render: ({ status }) => <span className="inline-flex items-center gap-2"><StatusDot tone={runTones[status]} pulse={status === 'running'} />{w[status]}</span> },
    { key: 'ended', title: w.ended, className: 'whitespace-nowrap text-muted', render: ({ executedAt }) => <Time at={executedAt} /> },
    { key: 'took', title: w.took, align: 'right', render: (run) => <span className="inline-flex items-center gap-2">{runs.length > 1 && run.durationMs > 0 && run.durationMs === slow && <Badge tone="warn">{w.slowest}</Badge>}<RunTime run={run} /></span> },
  ]
  return (
    <Card title={w.runs} actions={<Link to="/runs" className={allLook}>{w.all}</Link>} flush>
      <Table label={w.runs} columns={columns} rows={runs} rowKey={({ id }) => id} />
    </Card>
  )
}
