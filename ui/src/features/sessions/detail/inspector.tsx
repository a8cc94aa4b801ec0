import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Graph } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Button, CopyButton, Duration, Notice, Since, Time } from '../../../shared/ui'
import { childrenQuery } from '../api'
import { stateTones } from '../looks'
import type { Session } from '../types'
import { words } from '../words'
import { Decisions, Options } from './branches'
import { Executions } from './executions'
import { offering, type StepView } from './steps'
import { Value } from './value'
import { Ways } from './ways'

interface InspectorProps {
  session: Session
  graph: Graph | undefined
  steps: readonly StepView[]
  /** Whether the workflow has other steps now. */
  changed: boolean
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
}

/** What the chosen step did, or the session as a whole. */
export function Inspector({ session, graph, steps, changed, chosen, onChoose }: InspectorProps) {
  const w = useWords(words)
  const view = chosen === undefined ? undefined : steps[chosen]
  return (
    <aside aria-label={w.inspector} className="shrink-0 border-line bg-surface p-4 max-md:border-t md:w-80 md:overflow-y-auto md:border-l xl:w-[26rem]">
      {view ? <StepDetail session={session} view={view} changed={changed} onClose={() => onChoose(undefined)} /> : <Overview session={session} graph={graph} />}
    </aside>
  )
}

function Overview({ session, graph }: Pick<InspectorProps, 'session' | 'graph'>) {
  const w = useWords(words)
  const { data: children } = useQuery(childrenQuery(session.sessionId))
  const { compensation } = session
  const offered = offering(session)
  return (
    <div className="flex flex-col gap-4">
      <h2 className="text-[13px] font-semibold">{w.whole}</h2>
      <dl className="grid grid-cols-[7rem_1fr] items-center gap-x-3 gap-y-1.5 text-[13px]">
        <Fact name={w.client}>{session.clientId}</Fact>
        <Fact name={w.started}><Time at={session.startedAt} /></Fact>
        {session.completedAt && <Fact name={w.completed}><Time at={session.completedAt} /></Fact>}
        {session.workflowVersion && <Fact name={w.version}>{session.workflowVersion}</Fact>}
        {session.scheduleId && <Fact name={w.schedule}><Link to="/schedules" className="text-accent-text underline underline-offset-2"><span className="font-mono text-xs">{session.scheduleId.slice(0, 8)}</span></Link></Fact>}
        {session.parentSessionId && <Fact name={w.parent}><SessionLink id={session.parentSessionId} /></Fact>}
        {children && children.length > 0 && (
          <Fact name={w.children}>
            {children.map((child) => (
              <span key={child.sessionId} className="block">
                <SessionLink id={child.sessionId} name={child.workflowName} /> <span className="text-xs text-muted">{w.statuses(child.status)}</span>
              </span>
            ))}
          </Fact>
        )}
        <Fact name="ID"><span className="font-mono text-xs">{session.sessionId}</span> <CopyButton text={session.sessionId} /></Fact>
      </dl>
      {compensation && (
        <section aria-label={w.compensation} className="flex flex-col gap-1.5">
          <h3 className="text-[13px] font-medium">{w.compensation}</h3>
          <Notice tone={compensation.complete ? 'good' : 'bad'}>{compensation.complete ? w.undoComplete : w.undoIncomplete(compensation.failed.map((index) => index + 1).join(', '))}</Notice>
        </section>
      )}
      {offered && <Options options={offered.branchOptions ?? []} decisions={session.branchHistory.filter(({ stepIndex }) => stepIndex === offered.stepIndex)} />}
      <Ways session={session} graph={graph} />
      {session.branchHistory.length > 0 && <Decisions decisions={session.branchHistory} />}
      <Value title={w.memory} value={session.memory} depth={3} />
    </div>
  )
}

function SessionLink({ id, name }: { id: string; name?: string }) {
  return (
    <Link to="/sessions/$id" params={{ id }} className="text-accent-text underline underline-offset-2">
      {name ?? <span className="font-mono text-xs">{id.slice(0, 8)}</span>}
    </Link>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}

interface StepDetailProps {
  session: Session
  view: StepView
  changed: boolean
  onClose: () => void
}

function StepDetail({ session, view, changed, onClose }: StepDetailProps) {
  const w = useWords(words)
  const { index, name, state, entries, took, since, step } = view
  const errors = entries.flatMap((entry) => (entry.error ? [entry.compensation ? `${w.undoneOf(entry.activityName)}: ${entry.error}` : entry.error] : []))
  const idle = { running: w.runsNow, passed: view.off ? w.offHint : w.passedHint, next: w.notYet, later: w.notYet, never: w.neverHint }[state as string]
  const decisions = session.branchHistory.filter(({ stepIndex }) => stepIndex === index)
  const run = entries.findLast((entry) => !entry.compensation)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-2">
        <span className="text-xs text-muted tabular-nums">{index + 1}</span>
        <h2 className="min-w-0 flex-1 truncate text-[13px] font-semibold">{name}</h2>
        <Badge tone={stateTones[state]}>{w.states(state)}</Badge>
        {since === undefined ? took !== undefined && <Duration ms={took} className="text-[13px] text-muted" /> : <Since at={since} className="text-[13px] text-muted" />}
      </div>
      {errors.map((error) => <Notice key={error} tone="bad">{error}</Notice>)}
      {idle && <p className="text-[13px] text-muted">{idle}</p>}
      {session.waiting?.stepIndex === index && 'input' in session.waiting && <Value title={w.exactInput} value={session.waiting.input} />}
      {(entries.length > 0 || state === 'running') && <Executions session={session} view={view} />}
      {run && <Options options={run.branchOptions ?? []} decisions={decisions} />}
      {decisions.length > 0 && <Decisions decisions={decisions} />}
      {step && <Value title={w.definition} value={step} />}
      {changed && <p className="text-xs text-faint">{w.changed}</p>}
      <Button size="small" look="quiet" icon="left" className="self-start" onClick={onClose}>{w.whole}</Button>
    </div>
  )
}
