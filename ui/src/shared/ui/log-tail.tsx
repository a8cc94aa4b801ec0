import { VirtualList } from './virtual-list'

const ROW = 20

interface LogTailProps {
  lines: readonly string[]
  label: string
  /** What stands there while there are no lines. */
  empty: string
  /** How many rows are in sight at most. */
  rows?: number
}

/** The last lines of a program, with the newest in sight. */
export function LogTail({ lines, label, empty, rows = 8 }: LogTailProps) {
  if (lines.length === 0) return <p className="rounded-lg bg-sunken px-3 py-2.5 text-xs text-faint">{empty}</p>
  return (
    <VirtualList
      items={lines}
      rowHeight={ROW}
      measured
      follow
      label={label}
      height={Math.min(lines.length, rows) * ROW + 16}
      className="rounded-lg bg-sunken py-2"
      render={(line, index) => (
        <div className="flex gap-3 px-3 font-mono text-xs leading-5 hover:bg-hover">
          <span aria-hidden className="w-10 shrink-0 text-right text-faint tabular-nums select-none">{index + 1}</span>
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere] whitespace-pre-wrap">{line}</span>
        </div>
      )}
    />
  )
}
