import { Link } from '@tanstack/react-router'
import { useRestart } from '../../shared/api/servers'
import type { Figures, HookFigures, ServerFigures, ToolFigures } from '../../shared/api/types'
import { formatCount, formatShare } from '../../shared/lib/format'
import { useLanguage, useWords } from '../../shared/lib/i18n'
import { statusLook, statusWords } from '../../shared/lib/status'
import { Badge, Card, Duration, IconButton, StatusDot, Table, useToast, type Column } from '../../shared/ui'
import { words } from './words'

const SHOWN = 6
const micros = (value: number, count: number) => <Duration ms={count > 0 ? value / 1000 : null} />

/** Every server with its figures, and a way to restart it. */
export function Servers({ servers }: { servers: ServerFigures[] }) {
  const w = useWords(words)
  const status = useWords(statusWords)
  const { language } = useLanguage()
  const columns: Column<ServerFigures>[] = [
    { key: 'name', title: w.server, className: 'font-medium', render: ({ name }) => name },
    { key: 'status', title: w.status, render: (server) => <span className="inline-flex items-center gap-2 whitespace-nowrap"><StatusDot {...statusLook(server.status)} />{status[server.status]}</span> },
    { key: 'calls', title: w.calls, align: 'right', render: ({ calls }) => formatCount(calls, language) },
    { key: 'errors', title: w.errorRate, align: 'right', render: ({ errors, calls }) => <span className={errors > 0 ? 'text-bad-text' : ''}>{formatShare(errors, calls)}</span> },
    { key: 'p50', title: w.median, align: 'right', render: ({ p50Us, calls }) => micros(p50Us, calls) },
    { key: 'p95', title: w.slow, align: 'right', render: ({ p95Us, calls }) => micros(p95Us, calls) },
    { key: 'restarts', title: w.restarts, align: 'right', render: ({ restarts }) => <span className={restarts > 0 ? 'text-warn-text' : ''}>{restarts}</span> },
    { key: 'action', title: <span className="sr-only">{w.restarts}</span>, align: 'right', pinned: true, render: ({ name }) => <Restart name={name} /> },
  ]
  const actions = <Link to="/servers" className="text-[13px] text-accent-text underline-offset-4 hover:underline">{w.all}</Link>
  return (
    <Card title={w.servers} actions={actions} flush>
      <Table label={w.servers} columns={columns} rows={servers} rowKey={({ name }) => name} />
    </Card>
  )
}

function Restart({ name }: { name: string }) {
  const w = useWords(words)
  const toast = useToast()
  const restart = useRestart(name, (why) => toast({ tone: 'bad', title: w.restartFailed, ...why }))
  return <IconButton needs="operator" icon="restart" size="small" label={w.restart(name)} busy={restart.isPending} onClick={() => restart.mutate()} />
}

type Row = ToolFigures & { server: string }

function toolRows(figures: Figures): Row[] {
  return figures.servers.flatMap(({ name, tools }) => tools.map((tool) => ({ ...tool, server: name })))
}

function useToolColumns(): Record<'tool' | 'calls' | 'p50' | 'p95' | 'errors' | 'why', Column<Row>> {
  const w = useWords(words)
  const { language } = useLanguage()
  return {
    tool: {
      key: 'tool', title: w.tool, className: 'max-w-56',
      render: ({ name, server }) => (
        <Link to="/tools" search={{ server, tool: name }} className="block truncate font-medium underline-offset-4 hover:underline">
          {name}
          <span className="block truncate text-xs font-normal text-faint">{server}</span>
        </Link>
      ),
    },
    calls: { key: 'calls', title: w.calls, align: 'right', render: ({ calls }) => formatCount(calls, language) },
    p50: { key: 'p50', title: w.median, align: 'right', render: ({ p50Us, calls }) => micros(p50Us, calls) },
    p95: { key: 'p95', title: w.slow, align: 'right', render: ({ p95Us, calls }) => micros(p95Us, calls) },
    errors: { key: 'errors', title: w.errorRate, align: 'right', render: ({ errors, calls }) => <span className="text-bad-text">{formatShare(errors, calls)}</span> },
    why: { key: 'why', title: w.why, render: ({ codes }) => <span className="flex flex-wrap gap-1">{Object.entries(codes).map(([code, count]) => <Badge key={code} tone="bad">{code} {count}</Badge>)}</span> },
  }
}

/** The tools whose calls take longest. */
export function Slowest({ figures }: { figures: Figures }) {
  const w = useWords(words)
  const { tool, calls, p50, p95 } = useToolColumns()
  const rows = toolRows(figures).toSorted((a, b) => b.p95Us - a.p95Us).slice(0, SHOWN)
  return (
    <Card title={w.slowest} flush>
      <Table label={w.slowest} columns={[tool, calls, p50, p95]} rows={rows} rowKey={({ server, name }) => `${server} ${name}`} empty={w.noSlow} />
    </Card>
  )
}

/** The tools that fail, with the codes of their failures. */
export function Failing({ figures }: { figures: Figures }) {
  const w = useWords(words)
  const { tool, calls, errors, why } = useToolColumns()
  const rows = toolRows(figures).filter((row) => row.errors > 0).toSorted((a, b) => b.errors - a.errors).slice(0, SHOWN)
  return (
    <Card title={w.failing} flush>
      <Table label={w.failing} columns={[tool, calls, errors, why]} rows={rows} rowKey={({ server, name }) => `${server} ${name}`} empty={w.noFailing} />
    </Card>
  )
}

/** The hooks that take the most time in all. */
export function Hooks({ hooks }: { hooks: HookFigures[] }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const rows = hooks.filter(({ executions }) => executions > 0).toSorted((a, b) => b.totalUs - a.totalUs).slice(0, SHOWN)
  const columns: Column<HookFigures>[] = [
    { key: 'name', title: w.hook, className: 'font-medium', render: ({ name }) => <Link to="/hooks" className="underline-offset-4 hover:underline">{name}</Link> },
    { key: 'runs', title: w.runs, align: 'right', render: ({ executions }) => formatCount(executions, language) },
    { key: 'errors', title: w.errorRate, align: 'right', render: ({ errors, executions }) => <span className={errors > 0 ? 'text-bad-text' : ''}>{formatShare(errors, executions)}</span> },
    { key: 'p95', title: w.slow, align: 'right', render: ({ p95Us, executions }) => micros(p95Us, executions) },
    { key: 'total', title: w.total, align: 'right', render: ({ totalUs }) => <Duration ms={totalUs / 1000} /> },
  ]
  return (
    <Card title={w.hooks} flush>
      <Table label={w.hooks} columns={columns} rows={rows} rowKey={({ name }) => name} empty={w.noHooks} />
    </Card>
  )
}
