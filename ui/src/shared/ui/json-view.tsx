import { useState } from 'react'
import { formatBytes } from '../lib/format'
import { useWords } from '../lib/i18n'
import { isNumber } from '../lib/values'
import { Icon } from './icons'
import { words } from './words'

const LONG_TEXT = 400
const PAGE = 50

interface JsonViewProps {
  value: unknown
  /** How many levels are open at first. */
  depth?: number
  className?: string
}

/** A JSON value as a tree that opens and closes. Long texts and lists come as a preview and on demand. */
export function JsonView({ value, depth = 2, className }: JsonViewProps) {
  return (
    <div className={`overflow-x-auto font-mono text-xs leading-5 ${className ?? ''}`}>
      <Value value={value} depth={depth} />
    </div>
  )
}

function Value({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  if (value !== null && typeof value === 'object' && !isNumber(value)) return <Branch name={name} value={value} depth={depth} />
  return (
    <div className="flex pl-4">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

function Name({ name }: { name?: string | undefined }) {
  if (name === undefined) return null
  return <span className="mr-2 shrink-0 text-accent-text">{name}:</span>
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <Text text={value} />
  const look = value === null || value === undefined ? 'text-faint' : isNumber(value) ? 'text-info-text' : 'text-warn-text'
  return <span className={look}>{String(value)}</span>
}

function Text({ text }: { text: string }) {
  const w = useWords(words)
  const [whole, setWhole] = useState(text.length <= LONG_TEXT)
  return (
    <span className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap text-good-text">
      "{whole ? text : text.slice(0, LONG_TEXT)}
      {whole ? '"' : '…'}
      {!whole && <More label={w.showAll(formatBytes(text.length))} onClick={() => setWhole(true)} />}
    </span>
  )
}

function More({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="ml-2 rounded bg-sunken px-1.5 font-sans text-[11px] text-muted underline hover:text-ink">
      {label}
    </button>
  )
}

function Branch({ name, value, depth }: { name?: string | undefined; value: object; depth: number }) {
  const w = useWords(words)
  const [open, setOpen] = useState(depth > 0)
  const [shown, setShown] = useState(PAGE)
  const list = Array.isArray(value)
  const entries = Object.entries(value)
  const [before, after] = list ? ['[', ']'] : ['{', '}']
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        title={open ? w.collapse : w.expand}
        onClick={() => setOpen(!open)}
        className="flex items-center rounded text-left hover:bg-hover"
      >
        <Icon name={open ? 'down' : 'right'} size={12} className="mr-1 text-faint" />
        <Name name={name} />
        <span className="text-muted">
          {before}
          {!open && <span className="mx-1 text-faint">{list ? w.items(entries.length) : w.keys(entries.length)}</span>}
          {(!open || entries.length === 0) && after}
        </span>
      </button>
      {open && entries.length > 0 && (
        <>
          <div className="ml-1.5 border-l border-line pl-2.5">
            {entries.slice(0, shown).map(([key, item]) => (
              <Value key={key} name={key} value={item} depth={depth - 1} />
            ))}
            {entries.length > shown && <More label={w.more(Math.min(PAGE, entries.length - shown))} onClick={() => setShown(shown + PAGE)} />}
          </div>
          <span className="pl-4 text-muted">{after}</span>
        </>
      )}
    </div>
  )
}
