import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useEvents } from '../../shared/api/events'
import { useAccount } from '../../shared/lib/access'
import { classes } from '../../shared/lib/classes'
import { useWords } from '../../shared/lib/i18n'
import { BackLink, Badge, EmptyState, ErrorState, Loading, Page, Tabs } from '../../shared/ui'
import { Arguments } from './arguments'
import { useCalls } from './call/calls'
import { CLIENT } from './call/client'
import { HistoryView } from './history-view'
import { ResultView } from './result/result-view'
import { documentOf } from './store'
import { ToolHead } from './tool-head'
import { ToolList } from './tool-list'
import { playgroundQuery, type Tool } from './tools'
import { words } from './words'

/** The playground: find a tool, fill in its form, call it, read what it says. */
export function ToolsPage() {
  const w = useWords(words)
  const tools = useQuery(playgroundQuery)
  useRunLink()
  return (
    <Page full title={w.title} description={w.about} beside={tools.data && <Badge>{w.count(tools.data.length)}</Badge>}>
      {tools.isPending ? <Loading /> : tools.isError ? <div className="p-6"><ErrorState error={tools.error} retry={() => void tools.refetch()} /></div> : <Playground tools={tools.data} />}
    </Page>
  )
}

/** Finds the run of the last call: once it is done, and when runs are told of a moment later. */
function useRunLink(): void {
  const client = useAccount().name ?? CLIENT
  const findRun = useCalls((state) => state.findRun)
  const done = useCalls(({ calls }) => Object.values(calls).filter(({ state }) => state === 'done').length)
  useEvents(['run'], () => void findRun(client))
  useEffect(() => void findRun(client), [findRun, client, done])
}

function Playground({ tools }: { tools: Tool[] }) {
  const w = useWords(words)
  const search = useSearch({ strict: false }) as { server?: unknown; tool?: unknown }
  const navigate = useNavigate()
  const wanted = typeof search.tool === 'string' ? search.tool : undefined
  const selected = tools.find((tool) => tool.name === wanted && (search.server === undefined || tool.server === search.server))
  const open = (tool: Tool) => void navigate({ to: '/tools', search: { server: tool.server, tool: tool.name } as never })
  if (tools.length === 0) {
    return (
      <div className="p-6">
        <EmptyState icon="tool" title={w.noTools} action={<Link to="/servers" className="rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent">{w.toServers}</Link>}>{w.noToolsText}</EmptyState>
      </div>
    )
  }
  return (
    <div className="flex min-h-0 flex-1">
      <aside aria-label={w.list} className={classes('w-56 shrink-0 border-line md:border-r xl:w-72 max-md:w-full', wanted !== undefined && 'max-md:hidden')}>
        <ToolList tools={tools} selected={selected?.key} onSelect={open} />
      </aside>
      {selected ? (
        <Bench key={selected.key} tool={selected} tools={tools} open={open} />
      ) : (
        <div className={classes('flex-1 overflow-auto p-6', wanted === undefined && 'max-md:hidden')}>
          <Back />
          <EmptyState icon="tool" title={wanted === undefined ? w.pick : w.gone}>{wanted === undefined ? w.pickText : w.goneText}</EmptyState>
        </div>
      )}
    </div>
  )
}

/** The way back to the list, where there is no room for both. */
function Back() {
  const w = useWords(words)
  return <BackLink to="/tools">{w.allTools}</BackLink>
}

function Bench({ tool, tools, open }: { tool: Tool; tools: Tool[]; open: (tool: Tool) => void }) {
  const w = useWords(words)
  const document = useMemo(() => documentOf(tool.schema), [tool.schema])
  const call = useCalls((state) => state.calls[tool.key])
  const [pane, setPane] = useState('result')
  const [seen, setSeen] = useState(call?.id)
  const results = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Where the panes stand below each other the result would be out of sight.
    const below = !window.matchMedia('(min-width: 80rem)').matches
    if (call?.state === 'running' && below) results.current?.scrollIntoView({ block: 'start' })
  }, [call?.state])
  if (call !== undefined && call.id !== seen) {
    setSeen(call.id)
    setPane('result')
  }
  return (
    <div className="flex min-w-0 flex-1 flex-col overflow-auto xl:flex-row xl:overflow-hidden">
      <div className="flex min-w-0 flex-col gap-4 p-4 pb-0 md:p-5 md:pb-0 xl:flex-1 xl:overflow-auto">
        <Back />
        <ToolHead tool={tool} />
        <Arguments tool={tool} document={document} />
      </div>
      <div ref={results} className="min-w-0 border-t border-line p-4 pt-2 md:p-5 md:pt-2 xl:flex-1 xl:overflow-auto xl:border-t-0 xl:border-l">
        <Tabs
          label={w.panes}
          value={pane}
          onValueChange={setPane}
          tabs={[
            { value: 'result', label: w.result, content: <ResultView tool={tool.key} call={call} output={tool.output} /> },
            { value: 'history', label: w.history, content: <HistoryView tools={tools} open={open} /> },
          ]}
        />
      </div>
    </div>
  )
}
