import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../shared/lib/i18n'
import { Button, EmptyState, ErrorState, Icon, Loading, Page, Switch, VirtualList } from '../../shared/ui'
import { type RequestView, requestsQuery } from './api'
import { FilterBar } from './filter-bar'
import { type Filters, readFilters, unique } from './filters'
import { RequestDialog, RequestHead, RequestRow } from './request'
import { words } from './words'

/** The last requests of clients, live and searched. */
export function RequestsPage() {
  const w = useWords(words)
  const filters = readFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: Filters) => void navigate({ to: '/requests', search: next as never, replace: true })
  const [live, setLive] = useState(true)
  const [chosen, setChosen] = useState<RequestView | null>(null)
  const query = useInfiniteQuery(requestsQuery(filters, live))
  const requests = unique(query.data?.pages ?? [])
  const isFiltered = Object.keys(filters).length > 0
  if (query.error && !query.data) return <Page title={w.title}><ErrorState error={query.error} retry={() => void query.refetch()} /></Page>
  if (query.data && requests.length === 0 && !isFiltered) return <Page title={w.title} description={w.about}><Empty /></Page>
  return (
    <Page title={w.title} full actions={<><FilterBar filters={filters} onChange={change} /><Switch checked={live} onCheckedChange={setLive} label={w.live} showLabel /></>}>
      <RequestHead />
      {!query.data && <Loading />}
      {query.data && requests.length === 0 && <p className="px-6 py-12 text-center text-muted">{w.nothing}</p>}
      {requests.length > 0 && (
        <VirtualList label={w.title} items={requests} rowHeight={41} getKey={({ id }) => id} render={(one) => <RequestRow request={one} onChoose={() => setChosen(one)} />} className="min-h-0 flex-1 bg-surface" />
      )}
      {query.hasNextPage && (
        <div className="flex justify-center border-t border-line bg-surface p-2">
          <Button size="small" icon="history" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{w.more}</Button>
        </div>
      )}
      {chosen && <RequestDialog request={chosen} onClose={() => setChosen(null)} />}
    </Page>
  )
}

function Empty() {
  const w = useWords(words)
  const action = (
    <Link to="/tools" className="inline-flex h-8 items-center gap-2 rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong">
      <Icon name="tool" /> {w.tryTool}
    </Link>
  )
  return <EmptyState icon="history" title={w.emptyTitle} action={action}>{w.emptyText}</EmptyState>
}
