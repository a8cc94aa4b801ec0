import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { runPagesQuery, useLiveRuns } from '../../../shared/api/runs'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Button, EmptyState, ErrorState, Icon, Loading, Page, VirtualList } from '../../../shared/ui'
import { words } from '../words'
import { FilterBar } from './filter-bar'
import { type Filters, matches, readFilters, unique } from './filters'
import { RunHead, RunRow } from './row'

/** All runs, live. */
export function RunsPage() {
  const w = useWords(words)
  const { filters, change } = useFilters()
  useLiveRuns()
  const query = useInfiniteQuery({ ...runPagesQuery(filters), placeholderData: keepPreviousData })
  const runs = unique(query.data?.pages ?? [])
  // What is told of runs that are under way comes in between.
  const shown = query.isPlaceholderData ? runs : runs.filter((run) => matches(run, filters))
  if (query.error && !query.data) {
    return <Page title={w.title}><ErrorState error={query.error} retry={() => void query.refetch()} /></Page>
  }
  if (!query.data) return <Page title={w.title}><Loading /></Page>
  const isFiltered = Object.keys(filters).length > 0
  if (runs.length === 0 && !isFiltered && !query.isPlaceholderData) return <Page title={w.title} description={w.about}><Empty /></Page>
  return (
    <Page title={w.title} full actions={<FilterBar filters={filters} onChange={change} />} beside={<span role="status" className="text-[13px] text-faint">{w.count(shown.length, query.hasNextPage)}</span>}>
      <RunHead />
      {shown.length === 0 && <p className="px-6 py-12 text-center text-muted">{w.nothing}</p>}
      <VirtualList label={w.title} items={shown} rowHeight={41} getKey={(run) => run.id} render={(run) => <RunRow run={run} />} className={shown.length === 0 ? 'hidden' : classes('min-h-0 flex-1 bg-surface transition-opacity', query.isPlaceholderData && 'opacity-60')} />
      {query.hasNextPage && (
        <div className="flex justify-center border-t border-line bg-surface p-2">
          <Button size="small" icon="history" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{w.more}</Button>
        </div>
      )}
    </Page>
  )
}

/** The filters of the address, and how they are changed. */
function useFilters() {
  const filters = readFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: Filters) => void navigate({ to: '/runs', search: next as never, replace: true })
  return { filters, change }
}

function Empty() {
  const w = useWords(words)
  const action = (
    <Link to="/workflows" className="inline-flex h-8 items-center gap-2 rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong">
      <Icon name="workflow" /> {w.emptyAction}
    </Link>
  )
  return <EmptyState icon="run" title={w.emptyTitle} action={action}>{w.emptyText}</EmptyState>
}
