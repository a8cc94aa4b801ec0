import { valueTexts } from '../../../shared/lib/apart'
import { useWords } from '../../../shared/lib/i18n'
import { Draft, NumberText } from '../../../shared/lib/json'
import { fieldText, isNumber, writeJson } from '../../../shared/lib/values'
import { Field, NumberField, Select, Switch, TextField } from '../../../shared/ui'
import { words } from '../../../shared/ui/words'
import type { FormField } from './fields'

export type Values = Readonly<Record<string, unknown>>

interface InputFormProps {
  fields: readonly FormField[]
  values: Values
  /** Stands faintly in fields that are empty. */
  example: Values
  onChange: (values: Values) => void
}

/** Values as JSON. What is no number yet stands there as it was typed, so that it is seen to be wrong there too. */
export function jsonOf(values: Values): string {
  const written = (value: unknown) => (value instanceof Draft ? new NumberText(value.text) : value)
  return writeJson(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, written(value)])), 2)
}

/** An input as a form. A field that is emptied is left out. */
export function InputForm({ fields, values, example, onChange }: InputFormProps) {
  const put = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = values
    onChange(value === undefined || value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <div className="flex flex-col gap-4">
      {fields.map((field) => <InputField key={field.name} field={field} value={values[field.name]} example={example[field.name]} onChange={(value) => put(field.name, value)} />)}
    </div>
  )
}

function InputField({ field, value, example, onChange }: { field: FormField; value: unknown; example: unknown; onChange: (value: unknown) => void }) {
  const { kind, title, hint, required, choices } = field
  const labels = valueTexts(choices)
  const { badText } = useWords(words)
  if (kind === 'flag') {
    return (
      <div>
        <Switch checked={value === true} onCheckedChange={onChange} label={title} showLabel />
        {hint && <p className="mt-1 text-xs text-faint">{hint}</p>}
      </div>
    )
  }
  const placeholder = typeof example === 'string' || isNumber(example) ? String(example) : ''
  if (kind === 'number') return <NumberField label={title} hint={hint} required={required} placeholder={placeholder} value={value} onChange={onChange} />
  return (
    <Field label={title} hint={hint} required={required} error={kind === 'text' && typeof value !== 'string' && fieldText(value) !== '' && badText}>
      {(ids) => {
        if (kind === 'choice') return <Select {...ids} value={typeof value === 'string' ? value : ''} onValueChange={onChange} options={choices.map((choice, at) => ({ value: choice, label: labels[at] }))} />
        return <TextField {...ids} placeholder={placeholder} value={fieldText(value)} onChange={(event) => onChange(event.target.value)} />
      }}
    </Field>
  )
}
