import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { hooksQuery } from '../../../shared/api/queries'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { quantile } from '../../../shared/lib/metrics'
import { Badge, useToast } from '../../../shared/ui'
import { changeHook, metricsQuery } from '../api'
import { isNew, useDraftIds, useDrafts } from '../drafts'
import type { Hook } from '../model'
import { EnableDialog } from '../trial/enable-dialog'
import { useEnabling } from '../trial/use-enabling'
import { words } from '../words'
import { HookList } from './hook-list'

/** The column of hooks: those that run, and below them those that are not saved yet. */
export function Side({ hooks, selected, onSelect }: { hooks: Hook[]; selected: string | undefined; onSelect: (id: string) => void }) {
  const w = useWords(words)
  const toast = useToast()
  const client = useQueryClient()
  const drafts = useDraftIds()
  const p95 = useTimes(hooks)
  const enabling = useEnabling()
  const switching = useMutation({
    mutationFn: ({ hook, enabled }: { hook: Hook; enabled: boolean }) => changeHook(hook.id, { enabled }),
    onError: (error) => toast({ tone: 'bad', title: w.failed, error }),
    onSuccess: (changed) => client.setQueryData(hooksQuery.queryKey, (list) => list?.map((one) => (one.id === changed.id ? changed : one))),
  })
  const enable = (hook: Hook, enabled: boolean) => {
    if (enabled) void enabling.enable(hook.id, hook.script, () => switching.mutate({ hook, enabled }))
    else switching.mutate({ hook, enabled })
  }
  return (
    <aside aria-label={w.list} className={classes('flex w-64 shrink-0 flex-col gap-2 overflow-auto border-line p-3 md:border-r xl:w-80 max-md:w-full', selected !== undefined && 'max-md:hidden')}>
      <HookList hooks={hooks} selected={selected} unsaved={new Set(drafts)} p95={p95} onSelect={onSelect} onEnable={enable} />
      {drafts.filter(isNew).map((id) => <NewDraft key={id} id={id} current={id === selected} onSelect={() => onSelect(id)} />)}
      <EnableDialog enabling={enabling} />
    </aside>
  )
}

/** The time in milliseconds that 95 of 100 runs of a hook stay below, by its name. */
function useTimes(hooks: Hook[]): ReadonlyMap<string, number> {
  const { data: metrics } = useQuery(metricsQuery)
  return useMemo(() => {
    const ran = hooks.filter(({ stats }) => stats.executions > 0)
    const times = ran.map(({ name }) => [name, quantile(metrics ?? [], 'lockgate_hook_duration_seconds', 0.95, { hook: name })] as const)
    return new Map(times.flatMap(([name, seconds]) => (seconds === undefined ? [] : [[name, seconds * 1000]])))
  }, [hooks, metrics])
}

function NewDraft({ id, current, onSelect }: { id: string; current: boolean; onSelect: () => void }) {
  const w = useWords(words)
  const name = useDrafts((state) => state.drafts[id]?.fields.name)
  return (
    <button
      type="button"
      aria-current={current || undefined}
      onClick={onSelect}
      className={classes('flex items-center gap-2 rounded-lg border border-dashed bg-surface px-3 py-2 text-left text-[13px] hover:bg-hover', current ? 'border-accent' : 'border-line-strong')}
    >
      <span className="min-w-0 truncate">{name || w.untitled}</span>
      <span className="ml-auto"><Badge tone="warn">{w.unsaved}</Badge></span>
    </button>
  )
}
