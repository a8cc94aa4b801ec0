import { useWords } from '../lib/i18n'
import { isRecord, valueOf } from '../lib/values'
import { CodeEditor } from './code-editor'
import { words } from './words'

interface JsonFieldProps {
  label: string
  hint?: string
  text: string
  onChange: (text: string) => void
  /** Whether only an object will do. */
  object?: boolean
  readOnly?: boolean
  className?: string
}

/** A JSON value as text, with what is wrong with it. */
export function JsonField({ label, hint, text, onChange, object, readOnly, className = 'h-28' }: JsonFieldProps) {
  const w = useWords(words)
  const { value, bad } = valueOf(text)
  const trouble = bad ? w.badJson : object && value !== undefined && !isRecord(value) ? w.objectOnly : ''
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span aria-hidden className="text-[13px] font-medium">{label}</span>
      <CodeEditor language="json" label={label} value={text} onChange={onChange} readOnly={readOnly} className={className} />
      {hint && <p className="text-xs text-faint">{hint}</p>}
      {trouble && <p role="alert" className="text-xs text-bad-text">{trouble}</p>}
    </div>
  )
}
