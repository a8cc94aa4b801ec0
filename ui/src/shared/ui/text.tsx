import { useEffect, useState, type ReactNode } from 'react'
import { formatDuration, formatMoment } from '../lib/format'
import { useLanguage, useWords } from '../lib/i18n'
import { useNow } from '../lib/now'
import { IconButton } from './button'
import { useCopy } from './copy'
import { words } from './words'

/** A key of the keyboard. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="inline-flex min-w-5 items-center justify-center rounded border border-line-strong bg-surface px-1.5 font-sans text-[11px] leading-[18px] text-muted">{children}</kbd>
}

/** A time span given in milliseconds. */
export function Duration({ ms, className }: { ms: number | null | undefined; className?: string }) {
  const { language } = useLanguage()
  return <span className={`tabular-nums ${className ?? ''}`}>{ms === null || ms === undefined ? '–' : formatDuration(ms, language)}</span>
}

/** A moment given in milliseconds since 1970, or as an ISO text. */
export function Time({ at, className }: { at: number | string | null | undefined; className?: string }) {
  const { language } = useLanguage()
  if (at === null || at === undefined) return <span className={className}>–</span>
  const moment = new Date(at)
  return (
    <time dateTime={moment.toISOString()} title={moment.toLocaleString(language)} className={`tabular-nums ${className ?? ''}`}>
      {formatMoment(moment.getTime(), language)}
    </time>
  )
}

/** The time that has passed since a moment, counting on. */
export function Since({ at, className }: { at: number; className?: string }) {
  const now = useNow(true)
  return <Duration ms={Math.max(0, Math.floor((now - at) / 1000) * 1000)} className={className} />
}

/** The time that is left until a moment, counting down; nothing once it has come. */
export function Until({ at, say }: { at: number; say: (span: string) => string }) {
  const { language } = useLanguage()
  const now = useNow(true)
  return at > now ? <span className="tabular-nums">{say(formatDuration(Math.ceil((at - now) / 1000) * 1000, language))}</span> : null
}

/** Copies a text and says so for a moment. */
export function CopyButton({ text, label, className }: { text: string | (() => string); label?: string; className?: string }) {
  const w = useWords(words)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  const put = useCopy()
  const copy = async () => setCopied(await put(typeof text === 'string' ? text : text()))
  return <IconButton icon={copied ? 'check' : 'copy'} size="small" label={copied ? w.copied : (label ?? w.copy)} className={className} onClick={() => void copy()} />
}
