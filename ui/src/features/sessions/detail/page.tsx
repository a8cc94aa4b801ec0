import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ApiError } from '../../../shared/api/client'
import { workflowsQuery } from '../../../shared/api/queries'
import { versionQuery } from '../../../shared/api/versions'
import { type Graph, readGraph } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Duration, EmptyState, ErrorState, Icon, Loading, Notice, Page, Since, Time } from '../../../shared/ui'
import { sessionQuery, useLiveSessions } from '../api'
import { statusTones } from '../looks'
import { OPEN, type Session } from '../types'
import { words } from '../words'
import { Actions } from './actions'
import { Inspector } from './inspector'
import { StepLine } from './line'
import { Standing } from './questions'
import { fitting, stepsOf } from './steps'
import { Timeline } from './timeline'

const linkLook = 'inline-flex h-8 items-center gap-2 rounded-md'

/** One session: the line of steps, the timeline and the inspector, which always show the same step. */
export default function SessionDetailPage() {
  const w = useWords(words)
  const { id } = useParams({ from: '/sessions/$id' })
  useLiveSessions()
  const session = useQuery({ ...sessionQuery(id), retry: (count, error) => !(error instanceof ApiError && error.status === 404) && count < 2 })
  const definition = useDefinition(session.data)
  if (session.error instanceof ApiError && session.error.status === 404) return <Gone id={id} />
  if (session.error && !session.data) return <Page title={w.title}><ErrorState error={session.error} retry={() => void session.refetch()} /></Page>
  if (!session.data || definition.isPending) return <Loading />
  return <Detail key={id} session={session.data} workflowId={definition.workflowId} graph={definition.graph} />
}

/** The graph of the version that a session stays on; nothing when the workflow was deleted. */
function useDefinition(session: Session | undefined): { workflowId?: string; graph?: Graph | undefined; isPending: boolean } {
  const workflows = useQuery(workflowsQuery)
  const workflow = workflows.data?.find(({ name, workflowType }) => workflowType === 'session' && name === session?.workflowName)
  const version = session?.workflowVersion ?? undefined
  const isOlder = workflow !== undefined && version !== undefined && version !== workflow.revision
  const older = useQuery({ ...versionQuery(workflow?.id ?? '', version ?? 0), enabled: isOlder, retry: false })
  const current = useMemo(() => workflow && readGraph(workflow.nodes, workflow.edges), [workflow])
  if (!workflow) return { isPending: workflows.isPending }
  return { workflowId: workflow.id, graph: isOlder ? older.data?.graph : current, isPending: isOlder && older.isPending }
}

function Gone({ id }: { id: string }) {
  const w = useWords(words)
  const action = <Link to="/sessions" className={`${linkLook} border border-line-strong bg-surface px-3 hover:bg-hover`}><Icon name="left" /> {w.all}</Link>
  return <Page title={w.title}><EmptyState icon="session" title={w.goneTitle} action={action}>{w.goneText(id)}</EmptyState></Page>
}

/** The step that all panes show; it lives in the address. */
function useChosen(count: number): [number | undefined, (index: number | undefined) => void] {
  const search: { step?: unknown } = useSearch({ strict: false })
  const navigate = useNavigate()
  const choose = (index: number | undefined) => void navigate({ to: '.', search: (index === undefined ? {} : { step: index + 1 }) as never, replace: true })
  const step = Number(search.step)
  return [Number.isInteger(step) && step >= 1 && step <= count ? step - 1 : undefined, choose]
}

function Detail({ session, workflowId, graph }: { session: Session; workflowId: string | undefined; graph: Graph | undefined }) {
  const w = useWords(words)
  const [chosen, choose] = useChosen(session.totalSteps)
  const steps = stepsOf(session, graph)
  const beside = (
    <>
      <Badge tone={statusTones[session.status]}>{w.statuses(session.status)}</Badge>
      <span className="flex flex-wrap items-center gap-x-3 text-[13px] text-muted">
        <Time at={session.startedAt} />
        {OPEN.includes(session.status) ? <Since at={session.startedAt} /> : <Duration ms={(session.completedAt ?? session.startedAt) - session.startedAt} />}
      </span>
    </>
  )
  const actions = (
    <>
      <Link to="/sessions" className={`${linkLook} px-2 text-muted hover:bg-hover hover:text-ink`}><Icon name="left" /> {w.back}</Link>
      {workflowId && (
        <Link to="/workflows/$id" params={{ id: workflowId }} className={`${linkLook} px-2 text-muted hover:bg-hover hover:text-ink`}><Icon name="workflow" /> {w.openWorkflow}</Link>
      )}
      <Actions session={session} />
    </>
  )
  return (
    <Page title={w.sessionTitle(session.workflowName)} full beside={beside} actions={actions}>
      {session.error && <div className="border-b border-line bg-surface px-4 py-2"><Notice tone="bad">{session.error}</Notice></div>}
      <div className="flex min-h-0 flex-1 max-md:flex-col max-md:overflow-y-auto">
        <div className="flex min-w-0 flex-1 flex-col max-md:flex-none md:overflow-y-auto">
          <Standing session={session} />
          <StepLine steps={steps} chosen={chosen} onChoose={choose} />
          <Timeline session={session} steps={steps} chosen={chosen} onChoose={choose} />
        </div>
        <Inspector session={session} graph={graph} steps={steps} changed={workflowId !== undefined && !fitting(session, graph)} chosen={chosen} onChoose={choose} />
      </div>
    </Page>
  )
}
