import type { ReactNode } from 'react'
import { useWords } from '../../shared/lib/i18n'
import { Badge, CopyButton, Dialog, JsonView, StatusDot, Time } from '../../shared/ui'
import type { Entry } from './api'
import { methodOf, outcomeOf } from './filters'
import { words } from './words'

// A small window has two columns, with the outcome and who did it below what it was done to.
const COLUMNS =
  'grid grid-cols-[5rem_minmax(0,1fr)] md:grid-cols-[8rem_7rem_minmax(6rem,1fr)_8rem_minmax(8rem,2.4fr)_11rem] whitespace-nowrap items-center gap-3 px-4 md:px-6'

/** The heads of the columns; screen readers hear them with each row. */
export function EntryHead() {
  const w = useWords(words)
  return (
    <div aria-hidden className={`${COLUMNS} border-b border-line bg-surface py-2 text-xs font-medium text-faint`}>
      <span>{w.when}</span>
      <span className="hidden md:block">{w.kind}</span>
      <span className="hidden md:block">{w.who}</span>
      <span className="hidden md:block">{w.method}</span>
      <span>{w.subject}</span>
      <span className="hidden md:block">{w.outcome}</span>
    </div>
  )
}

/** One entry of the log; a press shows all of it. */
export function EntryRow({ entry, onChoose }: { entry: Entry; onChoose: () => void }) {
  const w = useWords(words)
  const outcome = outcomeOf(entry)
  return (
    <button type="button" onClick={onChoose} className={`${COLUMNS} h-[41px] w-full border-b border-line text-left text-[13px] hover:bg-hover focus-visible:outline-offset-[-2px]`}>
      <Time at={entry.at} className="truncate text-muted" />
      <span className="hidden md:block">{w.kinds(entry.kind)}</span>
      <span className="hidden truncate font-medium md:block">{entry.who}</span>
      <span className="hidden truncate font-mono text-xs text-muted md:block">{methodOf(entry)}</span>
      <span className="min-w-0">
        <span className="block truncate font-mono text-xs">{entry.subject}</span>
        <span className="flex items-center gap-1.5 text-[11px] leading-4 text-muted md:hidden">
          {outcome && <StatusDot tone={outcome.tone} />}
          <span className="min-w-0 truncate">{[outcome?.text, entry.who, w.kinds(entry.kind)].filter(Boolean).join(' · ')}</span>
        </span>
      </span>
      <span className="hidden truncate md:block">{outcome && <Badge tone={outcome.tone}>{outcome.text}</Badge>}</span>
    </button>
  )
}

/** Everything about one entry. */
export function EntryDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const w = useWords(words)
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={w.number(entry.number)}>
      <dl className="grid grid-cols-[8rem_1fr] items-center gap-x-3 gap-y-1.5 text-[13px]">
        <Fact name={w.when}><Time at={entry.at} /></Fact>
        <Fact name={w.kind}>{w.kinds(entry.kind)}</Fact>
        <Fact name={w.who}>{entry.who}</Fact>
        <Fact name={w.subject}><span className="font-mono text-xs">{entry.subject}</span></Fact>
        <Fact name={w.hash}><Hash text={entry.hash} /></Fact>
        <Fact name={w.previous}>{entry.previous === '' ? '–' : <Hash text={entry.previous} />}</Fact>
      </dl>
      <h3 className="mt-4 mb-1.5 text-[13px] font-medium">{w.details}</h3>
      <JsonView value={entry.details} className="rounded-lg border border-line bg-sunken p-2" />
    </Dialog>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}

function Hash({ text }: { text: string }) {
  return <span className="inline-flex items-center gap-1"><code className="font-mono text-xs">{text.slice(0, 16)}…</code><CopyButton text={text} /></span>
}
