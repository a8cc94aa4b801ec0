import { useState } from 'react'
import { useWords } from '../../../../shared/lib/i18n'
import { readJson, writeJson } from '../../../../shared/lib/values'
import { Field, TextArea } from '../../../../shared/ui'
import { words } from '../nodes/words'

interface JsonFieldProps {
  label: string
  value: unknown
  /** Called with the value while the text is valid JSON, and with nothing when it is empty. */
  onChange: (value: unknown) => void
  rows?: number
  hideLabel?: boolean
  hint?: string
}

/** A JSON value as text. What was typed stays as it was typed while it says the same. */
export function JsonField({ label, value, onChange, rows = 4, hideLabel, hint }: JsonFieldProps) {
  const w = useWords(words)
  const shown = value === undefined ? '' : writeJson(value, 2)
  const [typed, setTyped] = useState<string | null>(null)
  const current = typed !== null && (!isJson(typed) || says(typed) === compact(value)) ? typed : shown
  const change = (text: string) => {
    setTyped(text)
    if (text.trim() === '') onChange(undefined)
    else if (isJson(text)) onChange(readJson(text))
  }
  const bad = current.trim() !== '' && !isJson(current)
  const area = { rows, value: current, className: 'font-mono text-xs', onChange: (event: { target: { value: string } }) => change(event.target.value) }
  if (hideLabel) return <TextArea aria-label={label} aria-invalid={bad || undefined} {...area} />
  return (
    <Field label={label} hint={hint} error={bad && w.badJson}>
      {(ids) => <TextArea {...ids} {...area} />}
    </Field>
  )
}

function isJson(text: string): boolean {
  try {
    readJson(text)
    return true
  } catch {
    return text.trim() === ''
  }
}

const compact = (value: unknown): string => (value === undefined ? '' : writeJson(value))
const says = (text: string): string => (text.trim() === '' ? '' : writeJson(readJson(text)))
