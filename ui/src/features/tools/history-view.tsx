import { useWords } from '../../shared/lib/i18n'
import { Button, Duration, EmptyState, IconButton, StatusDot, Time } from '../../shared/ui'
import { useCalls } from './call/calls'
import { answer } from './call/client'
import type { Entry } from './call/history'
import { format, parse } from '../../shared/lib/json'
import { blank, usePlayground } from './store'
import type { Tool } from './tools'
import { words } from './words'

interface HistoryProps {
  tools: readonly Tool[]
  /** Brings a tool, and the result of its last call, into view. */
  open: (tool: Tool) => void
}

/** The calls that were made here: look at one again, or make it again. */
export function HistoryView({ tools, open }: HistoryProps) {
  const w = useWords(words)
  const { history, clearHistory, run, show } = useCalls()
  const change = usePlayground((state) => state.change)
  if (history.length === 0) return <EmptyState icon="history" title={w.noHistory}>{w.noHistoryText}</EmptyState>
  const toolOf = (entry: Entry) => tools.find((tool) => tool.server === entry.server && tool.name === entry.tool)
  const load = (entry: Entry, tool: Tool) => {
    const args = parse(entry.args)
    change(tool.key, () => ({ ...blank(args), mode: 'form', text: format(args, 2) }))
    const reply = entry.reply === undefined ? undefined : answer(entry.reply)
    if (reply) show(tool.key, { id: entry.id, args, state: 'done', startedAt: entry.at, logs: [], reply, time: { total: entry.ms, ran: [] } })
    open(tool)
    return args
  }
  return (
    <div className="flex flex-col gap-2">
      <p className="flex items-center text-xs text-faint">
        <span className="mr-auto">{w.historyNote}</span>
        <Button look="quiet" size="small" icon="trash" onClick={clearHistory}>{w.clearHistory}</Button>
      </p>
      <ul className="flex flex-col">
        {history.map((entry) => {
          const tool = toolOf(entry)
          return (
            <li key={entry.id} className="flex items-center gap-2 border-b border-line py-1 last:border-b-0">
              <StatusDot tone={entry.ok ? 'good' : 'bad'} />
              <button
                type="button"
                disabled={!tool}
                onClick={() => tool && load(entry, tool)}
                className="flex min-w-0 flex-1 flex-col rounded px-1.5 py-1 text-left hover:bg-hover disabled:opacity-50"
              >
                <span className="sr-only">{w.load(entry.tool)}</span>
                <span className="flex w-full items-baseline gap-2 text-xs">
                  <span className="min-w-0 truncate font-mono font-medium">{entry.tool}</span>
                  <span className="min-w-0 truncate text-faint">{entry.server}</span>
                  <span className="ml-auto shrink-0 text-faint"><Time at={entry.at} /> · <Duration ms={entry.ms} /></span>
                </span>
                <span className="w-full truncate font-mono text-[11px] text-muted">{entry.args}</span>
              </button>
              <IconButton
                icon="restart"
                size="small"
                label={`${w.replay}: ${entry.tool}`}
                disabled={!tool}
                onClick={() => {
                  if (tool) void run(tool, load(entry, tool))
                }}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}
