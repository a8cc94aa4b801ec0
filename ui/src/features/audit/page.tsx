import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../shared/lib/access'
import { useWords } from '../../shared/lib/i18n'
import { Button, EmptyState, ErrorState, Icon, IconButton, Loading, Page, VirtualList } from '../../shared/ui'
import { auditQuery, exportAddress } from './api'
import { EntryDialog, EntryHead, EntryRow } from './entry'
import { FilterBar } from './filter-bar'
import { type Filters, readFilters, unique } from './filters'
import { words } from './words'

/** The audit log, for operators. */
export function AuditPage() {
  const w = useWords(words)
  if (!useMay('operator')) return <Page title={w.title}><EmptyState icon="key" title={w.operatorTitle}>{w.operatorText}</EmptyState></Page>
  return <Log />
}

function Log() {
  const w = useWords(words)
  const filters = readFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: Filters) => void navigate({ to: '/audit', search: next as never, replace: true })
  const query = useInfiniteQuery(auditQuery(filters))
  const [chosen, setChosen] = useState<number | null>(null)
  const entries = unique(query.data?.pages ?? [])
  const isFiltered = Object.keys(filters).length > 0
  if (query.error && !query.data) return <Page title={w.title}><ErrorState error={query.error} retry={() => void query.refetch()} /></Page>
  if (query.data && entries.length === 0 && !isFiltered) return <Page title={w.title} description={w.about}><EmptyState icon="book" title={w.emptyTitle} action={<Link to="/settings" className="text-accent-text underline">{w.emptyAction}</Link>}>{w.emptyText}</EmptyState></Page>
  const shown = entries.find(({ number }) => number === chosen)
  return (
    <Page
      title={w.title}
      description={w.about}
      full
      actions={
        <>
          <FilterBar filters={filters} onChange={change} />
          <IconButton icon="restart" label={w.refresh} busy={query.isRefetching} onClick={() => void query.refetch()} />
          <a href={exportAddress} download="audit.ndjson" className="inline-flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 hover:bg-hover"><Icon name="download" /> {w.export}</a>
        </>
      }
    >
      <EntryHead />
      {!query.data && <Loading />}
      {query.data && entries.length === 0 && <p className="px-6 py-12 text-center text-muted">{w.nothing}</p>}
      {entries.length > 0 && (
        <VirtualList label={w.title} items={entries} rowHeight={41} getKey={({ number }) => number} render={(entry) => <EntryRow entry={entry} onChoose={() => setChosen(entry.number)} />} className="min-h-0 flex-1 bg-surface" />
      )}
      {query.hasNextPage && (
        <div className="flex justify-center border-t border-line bg-surface p-2">
          <Button size="small" icon="history" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{w.more}</Button>
        </div>
      )}
      {shown && <EntryDialog entry={shown} onClose={() => setChosen(null)} />}
    </Page>
  )
}
