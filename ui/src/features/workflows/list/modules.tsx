import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { hooksQuery, workflowsQuery } from '../../../shared/api/queries'
import type { HookView } from '../../../shared/api/types'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Button, Card, type Column, ConfirmDialog, EmptyState, ErrorState, IconButton, Loading, Menu, Table, Time, useToast } from '../../../shared/ui'
import { deleteModule } from '../api'
import { words } from '../words'
import { NewModule } from './module-new'
import { type User, usersOf } from './module-users'

/** The hooks as modules: which there are, and which workflows use them. */
export function Modules() {
  const w = useWords(words)
  const hooks = useQuery(hooksQuery)
  const { data: workflows } = useQuery(workflowsQuery)
  const [making, setMaking] = useState(false)
  const add = <Button needs="editor" look="primary" icon="plus" onClick={() => setMaking(true)}>{w.newModule}</Button>
  if (hooks.error && !hooks.data) return <ErrorState error={hooks.error} retry={() => void hooks.refetch()} />
  if (!hooks.data || !workflows) return <Loading />
  return (
    <>
      {hooks.data.length === 0 ? (
        <EmptyState icon="hook" title={w.modulesTitle} action={add}>{w.modulesText}</EmptyState>
      ) : (
        <Card title={w.tabModules} actions={<Button needs="editor" size="small" icon="plus" onClick={() => setMaking(true)}>{w.newModule}</Button>} flush>
          <p className="px-4 pt-3 pb-2 text-[13px] text-muted">{w.modulesText}</p>
          <ModuleTable hooks={hooks.data} users={usersOf(workflows)} />
        </Card>
      )}
      {making && <NewModule onClose={() => setMaking(false)} />}
    </>
  )
}

function ModuleTable({ hooks, users }: { hooks: HookView[]; users: ReadonlyMap<string, readonly User[]> }) {
  const w = useWords(words)
  const columns: Column<HookView>[] = [
    { key: 'name', title: w.name, className: 'w-1/2 min-w-56', render: (hook) => <Name hook={hook} /> },
    { key: 'phase', title: w.modulePhase, className: 'whitespace-nowrap', render: ({ hookType }) => w.modulePhases(hookType) },
    { key: 'list', title: w.moduleInList, className: 'whitespace-nowrap', render: ({ enabled }) => (enabled ? <Badge tone="good">{w.moduleListed}</Badge> : <span className="text-faint">{w.moduleUnlisted}</span>) },
    { key: 'users', title: w.moduleUsers, className: 'w-1/2 min-w-48', render: ({ id }) => <Users users={users.get(id) ?? []} /> },
    { key: 'changed', title: w.changed, wide: true, className: 'whitespace-nowrap text-faint', render: ({ updatedAt }) => <Time at={updatedAt} /> },
    { key: 'more', title: <span className="sr-only">{w.moreActions}</span>, align: 'right', pinned: true, render: (hook) => <RowMenu hook={hook} users={users.get(hook.id) ?? []} /> },
  ]
  return <Table label={w.tabModules} columns={columns} rows={hooks} rowKey={({ id }) => id} />
}

function Name({ hook: { id, name, description } }: { hook: HookView }) {
  return (
    <>
      <Link to="/hooks" search={{ id } as never} className="font-medium underline-offset-4 hover:underline">{name}</Link>
      {description && <span className="block text-xs text-muted">{description}</span>}
    </>
  )
}

function Users({ users }: { users: readonly User[] }) {
  const w = useWords(words)
  if (users.length === 0) return <span className="text-faint">{w.moduleUnused}</span>
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {users.map(({ id, name, enabled }) => (
        <li key={id} className="flex items-center gap-1.5">
          <Link to="/workflows/$id" params={{ id }} className="underline-offset-4 hover:underline">{name}</Link>
          {enabled && <Badge tone="good">{w.active}</Badge>}
        </li>
      ))}
    </ul>
  )
}

function RowMenu({ hook, users }: { hook: HookView; users: readonly User[] }) {
  const w = useWords(words)
  const toast = useToast()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteModule(hook.id),
    onSuccess: () => toast({ tone: 'good', title: w.removed(hook.name) }),
    onError: (error) => toast({ tone: 'bad', error }),
    onSettled: () => {
      setAsking(false)
      return client.invalidateQueries({ queryKey: hooksQuery.queryKey })
    },
  })
  return (
    <>
      <Menu
        items={[
          { label: w.edit, icon: 'pencil', onSelect: () => void navigate({ to: '/hooks', search: { id: hook.id } as never }) },
          { kind: 'separator' },
          { label: users.length > 0 ? w.moduleKept : w.remove, icon: 'trash', danger: true, disabled: users.length > 0, needs: 'editor', onSelect: () => setAsking(true) },
        ]}
      >
        <IconButton icon="more" size="small" label={w.more(hook.name)} />
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={w.removeTitle(hook.name)}
        description={hook.enabled ? w.moduleRemoveListed : w.moduleRemoveText}
        confirm={w.remove}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}
