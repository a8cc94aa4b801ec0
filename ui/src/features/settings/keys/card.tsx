import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../../../shared/api/account'
import { useAccount } from '../../../shared/lib/access'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Button, Card, type Column, ConfirmDialog, ErrorState, IconButton, Loading, Notice, Table, Time, useToast } from '../../../shared/ui'
import { type Key, keysQuery, revokeKey } from './api'
import { CreateDialog } from './create'
import { words } from './words'

/** The keys: list, create, revoke. For operators. */
export function Keys() {
  const w = useWords(words)
  const keys = useQuery(keysQuery)
  const client = useQueryClient()
  const account = useAccount()
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<string | null>(null)
  const isFirst = !account.name && keys.data?.length === 0
  const closed = () => {
    setCreating(false)
    // With the first key this page has to sign in too.
    if (!account.name) void client.invalidateQueries(accountQuery)
  }
  return (
    <Card title={w.title} flush actions={<Button size="small" icon="plus" needs="operator" onClick={() => setCreating(true)}>{w.create}</Button>}>
      <p className="px-4 pt-3 pb-1 text-[13px] text-muted">{w.about}</p>
      {keys.error && !keys.data && <div className="p-4"><ErrorState error={keys.error} retry={() => void keys.refetch()} /></div>}
      {keys.isPending && <Loading />}
      {keys.data?.length === 0 && <div className="p-4"><Notice tone="warn">{w.none}</Notice></div>}
      {keys.data && keys.data.length > 0 && <List keys={keys.data} onRevoke={setRevoking} />}
      {creating && <CreateDialog isFirst={isFirst} onClose={closed} />}
      {revoking !== null && <RevokeDialog name={revoking} onClose={() => setRevoking(null)} />}
    </Card>
  )
}

function List({ keys, onRevoke }: { keys: readonly Key[]; onRevoke: (name: string) => void }) {
  const w = useWords(words)
  const patterns = (list: readonly string[] | null | undefined) => (list && list.length > 0 ? <code className="font-mono text-xs">{list.join(' ')}</code> : <span className="text-muted">{list ? w.nothing : w.all}</span>)
  const columns: Column<Key>[] = [
    { key: 'name', title: w.name, className: 'font-medium whitespace-nowrap', render: ({ name }) => name },
    { key: 'role', title: w.role, render: ({ role }) => <Badge tone={role === 'operator' ? 'accent' : 'neutral'}>{w.roleShort(role ?? 'none')}</Badge> },
    { key: 'servers', title: w.servers, render: ({ servers }) => patterns(servers) },
    { key: 'tools', title: w.tools, render: ({ tools, readOnly }) => <span className="flex items-center gap-2">{patterns(tools)}{readOnly && <Badge>{w.readOnlyShort}</Badge>}</span> },
    { key: 'expires', title: w.expires, className: 'whitespace-nowrap', render: ({ expires }) => (expires ? <Time at={expires} /> : <span className="text-muted">{w.never}</span>) },
    { key: 'origin', title: w.origin, className: 'text-muted whitespace-nowrap', render: ({ origin }) => (origin === 'config' ? w.fromFile : w.fromStore) },
    {
      key: 'actions',
      title: <span className="sr-only">{w.revoke}</span>,
      align: 'right',
      pinned: true,
      render: ({ name, origin }) => origin === 'api' && <IconButton size="small" icon="trash" needs="operator" label={w.revokeOf(name)} onClick={() => onRevoke(name)} />,
    },
  ]
  return <Table label={w.title} columns={columns} rows={[...keys]} rowKey={({ name }) => name} />
}

function RevokeDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  const revoking = useMutation({
    mutationFn: () => revokeKey(name),
    onSuccess: () => {
      toast({ tone: 'good', title: w.revoked })
      onClose()
    },
    onError: (error) => toast({ tone: 'bad', title: w.failed, error }),
    onSettled: () => Promise.all([client.invalidateQueries({ queryKey: ['keys'] }), client.invalidateQueries(accountQuery)]),
  })
  return <ConfirmDialog open danger onOpenChange={(open) => !open && onClose()} title={w.revokeTitle(name)} description={w.revokeText} confirm={w.revoke} busy={revoking.isPending} onConfirm={() => revoking.mutate()} />
}
