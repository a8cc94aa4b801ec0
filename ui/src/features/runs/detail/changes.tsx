import { classes } from '../../../shared/lib/classes'
import { formatBytes } from '../../../shared/lib/format'
import { useWords } from '../../../shared/lib/i18n'
import { JsonView } from '../../../shared/ui'
import { words } from '../words'
import { differenceOf, type Line } from './difference'
import type { Passage } from './journey'
import { KEPT, omittedOf } from './omitted'

/** What a node changed of the request and of the reply. */
export function Changes({ passage }: { passage: Passage }) {
  const w = useWords(words)
  const changes = passage.node.changes ?? {}
  const parts = [
    'params' in changes ? { title: w.changedParams, pair: passage.params } : null,
    'response' in changes ? { title: w.changedResponse, pair: passage.response } : null,
  ].filter((part) => part !== null)
  if (parts.length === 0) return <p className="text-[13px] text-muted">{w.noChanges}</p>
  return (
    <div className="flex flex-col gap-4">
      {parts.map(({ title, pair: [before, after] }) => (
        <section key={title} aria-label={title} className="flex flex-col gap-1.5">
          <h3 className="text-[13px] font-medium">{title}</h3>
          <Difference before={before} after={after} />
        </section>
      ))}
    </div>
  )
}

function Difference({ before, after }: { before: unknown; after: unknown }) {
  const w = useWords(words)
  const omitted = omittedOf(after) ?? omittedOf(before)
  if (omitted !== undefined) return <p className="rounded-lg bg-sunken px-3 py-2 text-[13px] text-muted">{w.omitted(formatBytes(omitted), formatBytes(KEPT))}</p>
  const lines = differenceOf(before, after)
  if (lines) {
    return (
      // A region that scrolls must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      <div tabIndex={0} role="region" aria-label={w.changes} className="max-h-96 overflow-auto rounded-lg border border-line bg-sunken py-1 font-mono text-xs leading-5">
        {lines.map((line, at) => (
          <DifferenceLine key={at} line={line} />
        ))}
      </div>
    )
  }
  return (
    <>
      <p className="text-xs text-faint">{w.tooLarge}</p>
      <h4 className="text-xs text-faint">{w.before}</h4>
      <JsonView value={before} depth={1} />
      <h4 className="text-xs text-faint">{w.after}</h4>
      <JsonView value={after} depth={1} />
    </>
  )
}

const looks = { added: 'bg-good-soft text-good-text', removed: 'bg-bad-soft text-bad-text', same: 'text-muted' }
const signs = { added: '+', removed: '−', same: ' ' }

function DifferenceLine({ line }: { line: Line }) {
  const w = useWords(words)
  if (line.kind === 'gap') return <div className="px-2 font-sans text-[11px] text-faint">⋯ {w.same(line.count)}</div>
  return (
    <div className={classes('flex gap-2 px-2 whitespace-pre-wrap', looks[line.kind])}>
      <span className="shrink-0 select-none">{signs[line.kind]}</span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{line.text}</span>
    </div>
  )
}
