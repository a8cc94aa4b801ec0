import { useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { memo } from 'react'
import { useMay } from '../../../shared/lib/access'
import { classes } from '../../../shared/lib/classes'
import { formatCount, formatDuration } from '../../../shared/lib/format'
import { useLanguage, useWords } from '../../../shared/lib/i18n'
import { Badge, Icon, IconButton, Switch } from '../../../shared/ui'
import type { Hook } from '../model'
import { words } from '../words'

interface HookRowProps {
  hook: Hook
  place: number
  last: boolean
  current: boolean
  unsaved: boolean
  p95: number | undefined
  /** The same at every rendering. */
  acts: Acts
}

interface Acts {
  onSelect: (id: string) => void
  onEnable: (hook: Hook, enabled: boolean) => void
  onMove: (id: string, by: 1 | -1) => void
}

/** One hook of the list: its place, its name, when it runs, how it fares, and its switch. Drawn only when one of them changes. */
export const HookRow = memo(function HookRow({ hook, place, last, current, unsaved, p95, acts: { onSelect, onEnable, onMove } }: HookRowProps) {
  const w = useWords(words)
  const mayEdit = useMay('editor')
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({ id: hook.id, disabled: !mayEdit, attributes: { roleDescription: w.sortable } })
  return (
    <li
      ref={setNodeRef}
      data-hook={hook.name}
      style={{ transform: CSS.Translate.toString(transform), transition: transition ?? undefined }}
      className={classes('group flex items-stretch rounded-lg border bg-surface', isDragging ? 'relative z-10 border-accent shadow-pop' : current ? 'border-accent' : 'border-line')}
    >
      <span className="relative flex w-7 shrink-0">
        <button
          type="button"
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
          aria-label={w.drag(hook.name)}
          className="flex flex-1 cursor-grab touch-none items-center justify-center rounded-l-lg pb-3.5 text-faint hover:bg-hover hover:text-ink"
        >
          <Icon name="drag" size={14} />
        </button>
        <span aria-hidden className="pointer-events-none absolute inset-x-0 bottom-2 text-center text-[10px] text-faint tabular-nums">{place}</span>
      </span>
      <button type="button" aria-current={current || undefined} onClick={() => onSelect(hook.id)} className={classes('min-w-0 flex-1 py-2 pr-1 pl-1.5 text-left hover:bg-hover focus-visible:outline-offset-[-2px]', !hook.enabled && 'text-muted')}>
        <span className="flex items-center gap-1.5">
          <span className="min-w-0 truncate text-[13px] font-medium">{hook.name}</span>
          {unsaved && <Badge tone="warn">{w.unsaved}</Badge>}
          {hook.tripped && <Badge tone="bad">{w.tripped}</Badge>}
        </span>
        <Figures hook={hook} p95={p95} />
      </button>
      <span className="flex flex-col items-end justify-between py-1.5 pr-2 pl-1">
        <Switch needs="editor" checked={hook.enabled} onCheckedChange={(enabled) => onEnable(hook, enabled)} label={w.enable(hook.name)} />
        <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <IconButton needs="editor" icon="up" size="small" label={w.moveUp(hook.name)} disabled={place === 1} onClick={() => onMove(hook.id, -1)} className="h-5! w-5!" />
          <IconButton needs="editor" icon="down" size="small" label={w.moveDown(hook.name)} disabled={last} onClick={() => onMove(hook.id, 1)} className="h-5! w-5!" />
        </span>
      </span>
    </li>
  )
})

function Figures({ hook, p95 }: { hook: Hook; p95: number | undefined }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const { executions, errors, timeouts, blocks } = hook.stats
  const count = (n: number) => formatCount(n, language)
  const failures = errors + timeouts
  return (
    <span className="mt-0.5 flex flex-wrap gap-x-2 text-[11px] text-faint tabular-nums">
      <span>{w[hook.hookType]}</span>
      {executions === 0 ? <span>{w.neverRan}</span> : <span>{w.executions(count(executions))}</span>}
      {failures > 0 && <span className="text-bad-text">{w.errors(count(failures))}</span>}
      {blocks > 0 && <span className="text-warn-text">{w.blocks(count(blocks))}</span>}
      {p95 !== undefined && <span>{w.p95(formatDuration(p95, language))}</span>}
    </span>
  )
}
