import { useMemo, useState } from 'react'
import { classes } from '../../shared/lib/classes'
import { isComposing } from '../../shared/lib/composing'
import { useWords } from '../../shared/lib/i18n'
import { Icon, TextField, VirtualList } from '../../shared/ui'
import { searchTools, type Tool } from './tools'
import { words } from './words'

type Row = { kind: 'server'; server: string; count: number } | { kind: 'tool'; tool: Tool; twin: boolean }

/** The tools by server, as rows of one list; those that other servers have too say whose they are. */
function rowsOf(tools: readonly Tool[]): Row[] {
  const servers = Map.groupBy(tools, (tool) => tool.server)
  const named = Map.groupBy(tools, (tool) => tool.name)
  return [...servers].flatMap(([server, own]) => [
    { kind: 'server' as const, server, count: own.length },
    ...own.map((tool) => ({ kind: 'tool' as const, tool, twin: (named.get(tool.name)?.length ?? 0) > 1 })),
  ])
}

interface ToolListProps {
  tools: readonly Tool[]
  selected: string | undefined
  onSelect: (tool: Tool) => void
}

/** All tools, with a search over names and descriptions. */
export function ToolList({ tools, selected, onSelect }: ToolListProps) {
  const w = useWords(words)
  const [query, setQuery] = useState('')
  const found = useMemo(() => searchTools(tools, query), [tools, query])
  const rows = useMemo(() => rowsOf(found), [found])
  return (
    <div className="flex h-full min-h-0 flex-col bg-surface">
      <div className="relative p-3 pb-2">
        <Icon name="search" size={14} className="pointer-events-none absolute top-1/2 left-5.5 -translate-y-[calc(50%-2px)] text-faint" />
        <TextField
          type="search"
          aria-label={w.search}
          placeholder={w.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !isComposing(event) && found[0]) onSelect(found[0])
          }}
          className="pl-8!"
        />
      </div>
      {rows.length === 0 ? (
        <p className="px-4 py-6 text-center text-[13px] text-muted">{w.noMatch}</p>
      ) : (
        <VirtualList
          items={rows}
          rowHeight={34}
          label={w.list}
          className="min-h-0 flex-1 px-2 pb-3"
          getKey={(row) => (row.kind === 'server' ? `server ${row.server}` : row.tool.key)}
          render={(row) => (row.kind === 'server' ? <ServerRow server={row.server} count={row.count} /> : <ToolRow tool={row.tool} twin={row.twin} current={row.tool.key === selected} onSelect={onSelect} />)}
        />
      )}
    </div>
  )
}

function ServerRow({ server, count }: { server: string; count: number }) {
  const w = useWords(words)
  return (
    <div className="flex h-[34px] items-end gap-2 px-2 pb-1 text-xs">
      <span className="min-w-0 truncate font-semibold text-muted">{server}</span>
      <span className="ml-auto shrink-0 text-[11px] text-faint">{w.count(count)}</span>
    </div>
  )
}

function ToolRow({ tool, twin, current, onSelect }: { tool: Tool; twin: boolean; current: boolean; onSelect: (tool: Tool) => void }) {
  const w = useWords(words)
  const { readOnly, destructive } = tool.annotations
  return (
    <button
      type="button"
      aria-current={current || undefined}
      onClick={() => onSelect(tool)}
      className={classes('flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-[13px] focus-visible:outline-offset-[-2px]', current ? 'bg-accent-soft font-medium text-accent-text' : 'text-ink hover:bg-hover')}
    >
      <span className="min-w-0 truncate font-mono text-xs">{tool.name}</span>
      {twin && <span className={classes('min-w-0 truncate text-[11px]', !current && 'text-faint')}>{tool.server}</span>}
      {destructive === true && readOnly !== true && (
        <span className="ml-auto text-warn-text" title={w.destructiveHint}>
          <Icon name="warning" size={13} />
          <span className="sr-only">{w.destructive}</span>
        </span>
      )}
    </button>
  )
}
