import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ApiError, unwrap } from '../../shared/api/client'
import type { EffectiveConfig } from '../../shared/api/types'
import { useWords } from '../../shared/lib/i18n'
import { Badge, Button, Card, ErrorState, JsonView, Loading, Notice, Switch, Table, TextField, useToast, type Tone } from '../../shared/ui'
import { words } from './words'

const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/config', { signal })),
})

type Value = EffectiveConfig['values'][number]

/** The configuration in effect, and where each value comes from. */
export function Config() {
  const w = useWords(words)
  const config = useQuery(configQuery)
  if (config.error) {
    // Every other failure says nothing of the file.
    const isBroken = config.error instanceof ApiError && config.error.code === 'VALIDATION_ERROR'
    return (
      <div className="flex flex-col gap-3">
        {isBroken && <Notice tone="warn" action={<Reload />}>{w.broken}</Notice>}
        <ErrorState error={config.error} retry={() => void config.refetch()} />
      </div>
    )
  }
  if (!config.data) return <Loading />
  return (
    <>
      {!config.data.inEffect && <Notice tone="warn" action={<Reload />}>{w.stale}</Notice>}
      <Values config={config.data} />
      <Card title={w.servers}>
        <p className="mb-3 text-[13px] text-muted">{w.serversText}</p>
        <JsonView value={config.data.servers} depth={1} />
      </Card>
    </>
  )
}

function Values({ config }: { config: EffectiveConfig }) {
  const w = useWords(words)
  const [filter, setFilter] = useState('')
  const [onlySet, setOnlySet] = useState(false)
  const rows = config.values.filter(({ key, origin }) => key.toLowerCase().includes(filter.toLowerCase()) && (!onlySet || origin !== 'default'))
  return (
    <Card title={w.config} actions={<Reload />} flush>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3 px-4 py-3">
        <p className="min-w-0 flex-1 text-[13px] text-muted [overflow-wrap:anywhere]">{w.configText(config.path)} {w.version(config.version)}</p>
        <Switch checked={onlySet} onCheckedChange={setOnlySet} label={w.onlySet} showLabel />
        <TextField type="search" value={filter} onChange={(event) => setFilter(event.target.value)} placeholder={w.filter} aria-label={w.filter} className="w-52!" />
      </div>
      <div className="border-t border-line">
        <Table
          label={w.config}
          rows={rows}
          rowKey={({ key }) => key}
          empty={w.noMatch}
          columns={[
            { key: 'key', title: w.key, render: ({ key }) => <code className="font-mono text-xs">{key}</code> },
            { key: 'value', title: w.value, className: 'w-full', render: (row) => <code className="block min-w-32 font-mono text-xs text-muted [overflow-wrap:anywhere]">{shown(row.value)}</code> },
            { key: 'origin', title: w.origin, render: (row) => <Origin value={row} /> },
          ]}
        />
      </div>
    </Card>
  )
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const tones: Record<string, Tone> = { file: 'accent', environment: 'info', flag: 'warn', default: 'neutral' }

function Origin({ value }: { value: Value }) {
  const w = useWords(words)
  const { origin } = value
  const word = origin === 'file' || origin === 'environment' || origin === 'flag' ? w[origin] : w.default
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <Badge tone={tones[origin] ?? 'neutral'}>{word}</Badge>
      {value.from && <code className="font-mono text-xs text-faint">{value.from}</code>}
    </span>
  )
}

function Reload() {
  const w = useWords(words)
  const toast = useToast()
  const queries = useQueryClient()
  const reload = useMutation({
    mutationFn: () => unwrap(api.POST('/api/config/reload')),
    onSuccess: () => toast({ tone: 'good', title: w.reloaded }),
    onError: (error) => toast({ tone: 'bad', title: w.reloadFailed, error }),
    onSettled: () => queries.invalidateQueries(),
  })
  return <Button needs="operator" size="small" icon="restart" busy={reload.isPending} onClick={() => reload.mutate()}>{w.reload}</Button>
}
