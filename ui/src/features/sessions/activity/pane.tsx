import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Button, Card, type Column, EmptyState, ErrorState, IconButton, Loading, Table } from '../../../shared/ui'
import { activitiesQuery, type ActivityView } from './api'
import { kindOf } from './draft'
import { ActivityDialog } from './dialog'
import { RemoveDialog } from './remove'
import { words } from './words'

type Asked = { what: 'edit'; activity: ActivityView | null } | { what: 'remove'; activity: ActivityView }

/** The activities: list, create, change, delete. */
export function ActivitiesPane() {
  const w = useWords(words)
  const query = useQuery(activitiesQuery)
  const [asked, setAsked] = useState<Asked | null>(null)
  const create = <Button needs="editor" look="primary" icon="plus" onClick={() => setAsked({ what: 'edit', activity: null })}>{w.create}</Button>
  const close = () => setAsked(null)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-[1400px] flex-col gap-4 p-6">
        {query.error && !query.data && <ErrorState error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <Loading />}
        {query.data?.length === 0 && <EmptyState icon="activity" title={w.emptyTitle} action={create}>{w.emptyText}</EmptyState>}
        {query.data && query.data.length > 0 && (
          <>
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-muted">{w.about}</p>
              {create}
            </div>
            <Card flush><List activities={query.data} onAsk={setAsked} /></Card>
          </>
        )}
      </div>
      {asked?.what === 'edit' && <ActivityDialog activity={asked.activity} onClose={close} />}
      {asked?.what === 'remove' && <RemoveDialog activity={asked.activity} onClose={close} />}
    </div>
  )
}

function List({ activities, onAsk }: { activities: ActivityView[]; onAsk: (asked: Asked) => void }) {
  const w = useWords(words)
  const columns: Column<ActivityView>[] = [
    { key: 'name', title: w.name, render: ({ name, publish }) => <span className="flex items-center gap-2 font-medium">{name}{publish && <Badge tone="accent">{w.published}</Badge>}</span> },
    { key: 'kind', title: w.kind, render: (activity) => <Badge>{w.kinds(kindOf(activity))}</Badge> },
    { key: 'description', title: w.description, className: 'min-w-40 text-muted', render: ({ description }) => description },
    { key: 'used', title: w.usedBy, className: 'min-w-40 text-muted', render: ({ usedBy }) => usedBy.join(', ') },
    { key: 'source', title: w.source, className: 'text-muted whitespace-nowrap', render: ({ source }) => (source === 'config' ? w.fromFile : w.fromStore) },
    {
      key: 'actions',
      title: <span className="sr-only">{w.edit}</span>,
      align: 'right',
      pinned: true,
      render: (activity) => {
        const isFile = activity.source === 'config'
        return (
          <span className="inline-flex">
            <IconButton size="small" icon={isFile ? 'search' : 'pencil'} label={`${isFile ? w.view : w.edit}: ${activity.name}`} onClick={() => onAsk({ what: 'edit', activity })} />
            {!isFile && <IconButton needs="editor" size="small" icon="trash" label={`${w.remove}: ${activity.name}`} onClick={() => onAsk({ what: 'remove', activity })} />}
          </span>
        )
      },
    },
  ]
  return <Table label={w.title} columns={columns} rows={activities} rowKey={({ name }) => name} />
}
