import { useState, type ComponentProps } from 'react'
import { useWords } from '../lib/i18n'
import { fieldText, isNumber, numberFrom } from '../lib/values'
import { Field, TextField } from './fields'
import { words } from './words'

interface NumberInputProps extends Omit<ComponentProps<typeof TextField>, 'value' | 'onChange'> {
  value: unknown
  /** Called with the number, with a draft while the text is none, and with nothing when it is empty. */
  onChange: (value: ReturnType<typeof numberFrom>) => void
  /** Whether it is never below zero: phones then show their keys for digits, which for some have no minus. */
  positive?: boolean
}

/**
 * A text field for a number. What is typed stands as it was typed until one leaves the field. It is no `type="number"`:
 * the browser keeps what is typed there to itself until it is a number, and so changes it while somebody types.
 */
export function NumberInput({ value, onChange, positive, ...rest }: NumberInputProps) {
  const [typed, setTyped] = useState('')
  const held = fieldText(value)
  const write = (text: string) => {
    setTyped(text)
    onChange(numberFrom(text))
  }
  return (
    <TextField
      {...rest}
      inputMode={positive ? 'decimal' : undefined}
      value={fieldText(numberFrom(typed)) === held ? typed : held}
      onChange={(event) => write(event.target.value)}
      onBlur={() => setTyped('')}
    />
  )
}

type NumberFieldProps = Pick<ComponentProps<typeof Field>, 'label' | 'hint' | 'required'> & Pick<NumberInputProps, 'value' | 'onChange' | 'positive' | 'placeholder' | 'readOnly'>

/** A number with its label; a text that is none is said to be none. */
export function NumberField({ label, hint, required, value, ...rest }: NumberFieldProps) {
  const w = useWords(words)
  return (
    <Field label={label} hint={hint} required={required} error={fieldText(value) !== '' && !isNumber(value) && w.badNumber}>
      {(ids) => <NumberInput {...ids} {...rest} value={value} />}
    </Field>
  )
}
