import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { workflowsQuery } from '../../../shared/api/queries'
import { useWords } from '../../../shared/lib/i18n'
import { ALL, Badge, Button, EmptyState, ErrorState, Icon, IconButton, inBar, Loading, Select, VirtualList } from '../../../shared/ui'
import { sessionPagesQuery, sessionStatsQuery } from '../api'
import { words } from '../words'
import { type Filters, readFilters, unique, WAITS } from './filters'
import { Inbox } from './inbox'
import { SessionHead, SessionRow } from './row'
import { StatusStrip } from './status-strip'

/** The list: counts by status, what needs somebody, and the sessions. */
export function SessionsPane({ onStart }: { onStart: () => void }) {
  const w = useWords(words)
  const { filters, change } = useFilters()
  const { data: stats } = useQuery(sessionStatsQuery)
  const query = useInfiniteQuery(sessionPagesQuery(filters))
  if (query.error && !query.data) return <div className="p-6"><ErrorState error={query.error} retry={() => void query.refetch()} /></div>
  if (!query.data) return <Loading />
  const sessions = unique(query.data.pages)
  const total = query.data.pages[0]?.total ?? sessions.length
  if (sessions.length === 0 && Object.keys(filters).length === 0) return <Empty onStart={onStart} />
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-surface px-4 py-2 md:px-6">
        {stats && <StatusStrip stats={stats} filters={filters} onChange={change} />}
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:w-full">
          <span role="status" className="text-[13px] text-faint max-md:w-full">{w.count(sessions.length, total)}</span>
          <MoreFilters filters={filters} names={Object.keys(stats?.byWorkflow ?? {})} onChange={change} />
        </div>
      </div>
      <Inbox />
      <SessionHead />
      {sessions.length === 0 && <p className="px-6 py-12 text-center text-muted">{w.nothing}</p>}
      <VirtualList label={w.title} items={sessions} rowHeight={41} getKey={({ sessionId }) => sessionId} render={(session) => <SessionRow session={session} />} className={sessions.length === 0 ? 'hidden' : 'min-h-0 flex-1 bg-surface'} />
      {query.hasNextPage && (
        <div className="flex justify-center border-t border-line bg-surface p-2">
          <Button size="small" icon="history" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{w.more}</Button>
        </div>
      )}
    </>
  )
}

/** The filters of the address, and how they are changed. */
function useFilters() {
  const filters = readFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: Filters) => void navigate({ to: '/sessions', search: next as never, replace: true })
  return { filters, change }
}

function MoreFilters({ filters, names, onChange }: { filters: Filters; names: string[]; onChange: (filters: Filters) => void }) {
  const w = useWords(words)
  const put = (key: 'workflow' | 'waiting', value: string) => {
    const { [key]: _, ...rest } = filters
    onChange(value === ALL ? rest : { ...rest, [key]: value })
  }
  const workflows = filters.workflow && !names.includes(filters.workflow) ? [...names, filters.workflow] : names
  return (
    <>
      <Select
        aria-label={w.workflow}
        className={inBar}
        value={filters.workflow ?? ALL}
        onValueChange={(value) => put('workflow', value)}
        options={[{ value: ALL, label: `${w.workflow}: ${w.every}` }, ...workflows.map((name) => ({ value: name, label: name }))]}
      />
      <Select
        aria-label={w.waitingFor}
        className={inBar}
        value={filters.waiting ?? ALL}
        onValueChange={(value) => put('waiting', value)}
        options={[{ value: ALL, label: `${w.waitingFor}: ${w.every}` }, ...WAITS.map((value) => ({ value, label: w.waits(value) }))]}
      />
      {filters.client && <Badge tone="accent" className="max-w-56"><span className="truncate">{w.client}: {filters.client}</span></Badge>}
      {Object.keys(filters).length > 0 && <IconButton icon="cross" label={w.clear} onClick={() => onChange({})} />}
    </>
  )
}

function Empty({ onStart }: { onStart: () => void }) {
  const w = useWords(words)
  const { data: workflows } = useQuery(workflowsQuery)
  const some = workflows?.some(({ workflowType, enabled }) => workflowType === 'session' && enabled) ?? false
  const action = some ? (
    <Button needs="editor" look="primary" icon="play" onClick={onStart}>{w.start}</Button>
  ) : (
    <Link to="/workflows" className="inline-flex h-8 items-center gap-2 rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong">
      <Icon name="workflow" /> {w.workflows}
    </Link>
  )
  return (
    <div className="mx-auto w-full max-w-[1400px] p-6">
      <EmptyState icon="session" title={w.emptyTitle} action={action}>{some ? w.emptyText : w.emptyNone}</EmptyState>
    </div>
  )
}
