import type { ComponentProps } from 'react'
import { useWords } from '../lib/i18n'
import { Draft } from '../lib/json'
import { isNumber, numberFrom, numberText, writeJson } from '../lib/values'
import { Field, TextField } from './fields'
import { words } from './words'

interface NumberFieldProps extends Pick<ComponentProps<typeof Field>, 'label' | 'hint' | 'required'> {
  value: unknown
  /** Called with the number, with a draft while the text is none, and with nothing when it is empty. */
  onChange: (value: ReturnType<typeof numberFrom>) => void
  placeholder?: string
  readOnly?: boolean
}

/**
 * A number, kept digit for digit as it is typed; a text that is none is said to be none. It is no `type="number"`: the
 * browser keeps what is typed there to itself until it is a number, and so changes it while somebody types.
 */
export function NumberField({ label, hint, required, value, onChange, ...rest }: NumberFieldProps) {
  const w = useWords(words)
  const text = isNumber(value) || value instanceof Draft ? numberText(value) : otherText(value)
  return (
    <Field label={label} hint={hint} required={required} error={text !== '' && !isNumber(value) && w.badNumber}>
      {(ids) => <TextField {...ids} {...rest} inputMode="decimal" value={text} onChange={(event) => onChange(numberFrom(event.target.value))} />}
    </Field>
  )
}

/** What stands in the place of a number, as others may have stored it. */
function otherText(value: unknown): string {
  if (value === undefined || value === null || value === '') return ''
  return typeof value === 'string' ? value : writeJson(value)
}
