import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useFresh } from '../../shared/api/fresh'
import { workflowsQuery } from '../../shared/api/queries'
import { apart } from '../../shared/lib/apart'
import { useWords } from '../../shared/lib/i18n'
import { Button, ConfirmDialog, EmptyState, ErrorState, Icon, Loading, Page } from '../../shared/ui'
import { type Schedule, schedulesQuery, useRemoving } from './api'
import { ScheduleCard } from './card'
import { ScheduleDialog } from './dialog'
import { words } from './words'

/** What may be asked of a schedule; none means a new one. */
export type Asked = { what: 'edit'; schedule: Schedule | null } | { what: 'remove'; schedule: Schedule }

/** All schedules: when they start what, and what they started. */
export function SchedulesPage() {
  const w = useWords(words)
  const query = useQuery(schedulesQuery)
  const [asked, setAsked] = useState<Asked | null>(null)
  useFresh(['session', 'lost'], 'schedules')
  const create = <Button needs="editor" look="primary" icon="plus" onClick={() => setAsked({ what: 'edit', schedule: null })}>{w.create}</Button>
  const schedules = query.data
  const names = apart(schedules ?? [], ({ workflowName }) => workflowName, ({ id }) => id)
  const nameOf = ({ id, workflowName }: Schedule) => names[schedules?.findIndex((one) => one.id === id) ?? -1] ?? workflowName
  return (
    <Page title={w.title} description={w.about} actions={schedules && schedules.length > 0 && create}>
      {query.error && !schedules && <ErrorState error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {schedules?.length === 0 && <Empty create={create} />}
      {schedules && schedules.length > 0 && (
        <ul aria-label={w.title} className="flex flex-col gap-3">
          {schedules.map((schedule) => (
            <li key={schedule.id}><ScheduleCard schedule={schedule} name={nameOf(schedule)} onAsk={setAsked} /></li>
          ))}
        </ul>
      )}
      {asked?.what === 'edit' && <ScheduleDialog schedule={asked.schedule} onClose={() => setAsked(null)} />}
      {asked?.what === 'remove' && <RemoveDialog schedule={asked.schedule} name={nameOf(asked.schedule)} onClose={() => setAsked(null)} />}
    </Page>
  )
}

function Empty({ create }: { create: ReactNode }) {
  const w = useWords(words)
  const { data: workflows } = useQuery(workflowsQuery)
  if (!workflows) return <Loading />
  const some = workflows.some(({ workflowType, enabled }) => workflowType === 'session' && enabled)
  const draw = (
    <Link to="/workflows" className="inline-flex h-8 items-center gap-2 rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong">
      <Icon name="workflow" /> {w.workflows}
    </Link>
  )
  return <EmptyState icon="clock" title={w.emptyTitle} action={some ? create : draw}>{some ? w.emptyText : w.emptyNone}</EmptyState>
}

function RemoveDialog({ schedule, name, onClose }: { schedule: Schedule; name: string; onClose: () => void }) {
  const w = useWords(words)
  const removing = useRemoving(schedule, onClose)
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => !open && onClose()}
      title={w.removeTitle(name)}
      description={w.removeText}
      confirm={w.remove}
      busy={removing.isPending}
      onConfirm={() => removing.mutate()}
    />
  )
}
