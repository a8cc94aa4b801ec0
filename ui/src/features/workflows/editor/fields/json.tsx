import { useState } from 'react'
import { useWords } from '../../../../shared/lib/i18n'
import { Draft } from '../../../../shared/lib/json'
import { isRecord, valueOf, writeJson } from '../../../../shared/lib/values'
import { Field, TextArea } from '../../../../shared/ui'
import { words } from '../nodes/words'

interface JsonFieldProps {
  label: string
  value: unknown
  /** Called with the value, with a draft while the text is none, and with nothing when it is empty. */
  onChange: (value: unknown) => void
  rows?: number
  hideLabel?: boolean
  hint?: string
  /** Whether only an object will do. */
  object?: boolean
}

/** A JSON value as text. What was typed stays as it was typed while it says the same. */
export function JsonField({ label, value, onChange, rows = 4, hideLabel, hint, object = false }: JsonFieldProps) {
  const w = useWords(words)
  const [typed, setTyped] = useState('')
  const current = writeJson(read(typed, object)) === writeJson(value) ? typed : textOf(value)
  const change = (text: string) => {
    setTyped(text)
    onChange(read(text, object))
  }
  const error = value instanceof Draft && ('value' in valueOf(value.text) ? w.objectOnly : w.badJson)
  return (
    <Field label={hideLabel ? <span className="sr-only">{label}</span> : label} hint={hint} error={error}>
      {(ids) => <TextArea {...ids} rows={rows} value={current} className="font-mono text-xs" onChange={(event) => change(event.target.value)} />}
    </Field>
  )
}

function read(text: string, object: boolean): unknown {
  const { value, bad } = valueOf(text)
  return bad || (object && value !== undefined && !isRecord(value)) ? new Draft(text) : value
}

function textOf(value: unknown): string {
  if (value instanceof Draft) return value.text
  return value === undefined ? '' : writeJson(value, 2)
}
