import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ReactFlowProvider } from '@xyflow/react'
import { api, ApiError, unwrap } from '../../../shared/api/client'
import { runQuery, useLiveRuns } from '../../../shared/api/runs'
import { versionQuery } from '../../../shared/api/versions'
import { type Graph, GAP, NODE, readGraph } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { useNow } from '../../../shared/lib/now'
import { lengthOf, type Run, runTones } from '../../../shared/lib/run'
import { Badge, ErrorState, Icon, Loading, Notice, Page, Time } from '../../../shared/ui'
import '../../../shared/ui/graph/flow.css'
import { RunTime } from '../../../shared/ui/graph/run-time'
import { subjectOf } from '../list/filters'
import { words } from '../words'
import { GraphPane } from './graph-pane'
import { RunInspector } from './inspector'
import { journeyOf } from './journey'
import { Waterfall } from './waterfall'

/** One run: graph, timeline and inspector, which always show the same node. */
export default function RunDetailPage() {
  const w = useWords(words)
  const { id } = useParams({ from: '/runs/$id' })
  useLiveRuns()
  const run = useQuery(runQuery(id))
  const workflow = useWorkflow(run.data?.workflowId)
  const old = useOldGraph(run.data, workflow.data?.revision)
  if (run.error && !run.data) return <Page title={w.title}><ErrorState error={run.error} retry={() => void run.refetch()} /></Page>
  if (!run.data || workflow.isPending || old.isLoading) return <Loading />
  const graph = old.data?.graph ?? workflow.data?.graph ?? lineOf(run.data)
  return <Detail run={run.data} graph={graph} now={workflow.data?.revision} isOld={old.data !== undefined} />
}

/** The graph of the version that a run passed, where that is not the current one and is still kept. */
function useOldGraph(run: Run | undefined, now: number | undefined) {
  const enabled = run !== undefined && now !== undefined && now !== run.version
  return useQuery({ ...versionQuery(run?.workflowId ?? '', run?.version ?? 0), enabled, retry: false })
}

/** The workflow of a run as it is now; nothing when it was deleted. */
function useWorkflow(id: string | undefined) {
  return useQuery({
    queryKey: ['workflows', id, 'graph'],
    enabled: id !== undefined,
    queryFn: async () => {
      try {
        const { revision, nodes, edges } = await unwrap(api.GET('/api/workflows/{id}', { params: { path: { id: id ?? '' } } }))
        return { revision, graph: readGraph(nodes, edges) }
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
  })
}

/** The nodes of a run whose workflow is gone, in the order of its record. */
function lineOf(run: Run): Graph {
  const nodes = Object.keys(run.results).map((id, index) => ({
    id,
    type: 'hook',
    position: { x: index * (NODE.width + GAP.x), y: 0 },
    data: { label: id },
  }))
  return { nodes, edges: [] }
}

/** The node that all panes show; it lives in the address. */
function useChosen(): [string | undefined, (id: string | undefined) => void] {
  const search: { node?: unknown } = useSearch({ strict: false })
  const navigate = useNavigate()
  const choose = (node: string | undefined) => void navigate({ to: '.', search: (node === undefined ? {} : { node }) as never, replace: true })
  return [search.node === undefined ? undefined : String(search.node), choose]
}

interface DetailProps {
  run: Run
  graph: Graph
  /** The current revision of the workflow; nothing when it was deleted. */
  now: number | undefined
  /** Whether the graph is that of the older version which the run passed. */
  isOld: boolean
}

function Detail({ run, graph, now, isOld }: DetailProps) {
  const w = useWords(words)
  const [chosen, choose] = useChosen()
  const journey = journeyOf(run, graph)
  const moment = useNow(run.status === 'running', 200)
  const { tool, server } = subjectOf(run)
  const beside = (
    <>
      <Badge tone={runTones[run.status]}>{w[run.status]}</Badge>
      <span className="flex flex-wrap items-center gap-x-3 text-[13px] text-muted">
        <Time at={run.executedAt} />
        <RunTime run={run} />
        {tool && <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{[server, tool].filter(Boolean).join(' / ')}</span>}
      </span>
    </>
  )
  const actions = (
    <>
      <Link to="/runs" className="inline-flex h-8 items-center gap-2 rounded-md px-2 text-muted hover:bg-hover hover:text-ink">
        <Icon name="left" /> {w.backToRuns}
      </Link>
      {now !== undefined && (
        <Link to="/workflows/$id" params={{ id: run.workflowId }} className="inline-flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 hover:bg-hover">
          <Icon name="workflow" /> {w.openWorkflow}
        </Link>
      )}
    </>
  )
  return (
    <Page title={w.runTitle(run.workflowName)} full beside={beside} actions={actions}>
      <Remarks run={run} now={now} isOld={isOld} />
      <div className="flex min-h-0 flex-1 max-md:flex-col max-md:overflow-y-auto">
        <div className="flex min-w-0 flex-1 flex-col max-md:flex-none">
          <section aria-label={w.graph} className="relative min-h-0 flex-1 max-md:h-52 max-md:flex-none">
            <ReactFlowProvider>
              <GraphPane run={run} graph={graph} chosen={chosen} onChoose={choose} />
            </ReactFlowProvider>
          </section>
          <Waterfall run={{ ...run, durationMs: lengthOf(run, moment) }} graph={graph} journey={journey} chosen={chosen} onChoose={choose} />
        </div>
        <RunInspector run={run} graph={graph} journey={journey} chosen={chosen} onChoose={choose} />
      </div>
    </Page>
  )
}

function Remarks({ run, now, isOld }: Omit<DetailProps, 'graph'>) {
  const w = useWords(words)
  const texts = [
    now === undefined ? w.deleted : now !== run.version ? (isOld ? w.olderShown(run.version, now) : w.older(run.version, now)) : '',
    run.bypassed ? w.bypassed : '',
  ].filter((text) => text !== '')
  if (texts.length === 0 && !run.error) return null
  return (
    <div className="flex flex-col gap-1 border-b border-line bg-surface px-4 py-2">
      {run.error && <Notice tone="bad">{run.error}</Notice>}
      {texts.map((text) => (
        <Notice key={text} tone="info">{text}</Notice>
      ))}
    </div>
  )
}
