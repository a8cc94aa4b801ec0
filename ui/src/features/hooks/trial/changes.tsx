import { useWords } from '../../../shared/lib/i18n'
import { writeJson } from '../../../shared/lib/values'
import { Badge } from '../../../shared/ui'
import { words } from '../words'
import type { Change } from './diff'

const SHOWN = 100
const LONG = 300

function short(value: unknown): string {
  const text = writeJson(value) ?? 'undefined'
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text
}

/** The places that differ, each with what was and what is. */
export function Changes({ changes, before, after }: { changes: readonly Change[]; before?: string; after?: string }) {
  const w = useWords(words)
  const kinds = { added: ['good', w.added], removed: ['bad', w.removed], changed: ['info', w.changedWord] } as const
  return (
    <ul aria-label={w.changes} className="flex max-h-72 flex-col gap-2 overflow-auto rounded-lg border border-line bg-surface p-2.5">
      {changes.slice(0, SHOWN).map((change, index) => {
        const [tone, word] = kinds[change.kind]
        return (
          <li key={index} data-change={change.path} className="flex flex-col gap-0.5 text-xs">
            <span className="flex items-center gap-2"><code className="min-w-0 [overflow-wrap:anywhere]">{change.path.replace(/^\./, '') || '·'}</code><Badge tone={tone}>{word}</Badge></span>
            {change.kind !== 'added' && <Line sign="−" label={before ?? w.before} look="bg-bad-soft text-bad-text" text={short(change.before)} />}
            {change.kind !== 'removed' && <Line sign="+" label={after ?? w.after} look="bg-good-soft text-good-text" text={short(change.after)} />}
          </li>
        )
      })}
      {changes.length > SHOWN && <li className="text-xs text-faint">… {changes.length - SHOWN}</li>}
    </ul>
  )
}

function Line({ sign, label, look, text }: { sign: string; label: string; look: string; text: string }) {
  return (
    <span className={`flex gap-2 rounded px-1.5 py-0.5 font-mono ${look}`}>
      <span aria-hidden>{sign}</span>
      <span className="sr-only">{label}</span>
      <span className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">{text}</span>
    </span>
  )
}
