import { Field, NumberField, Select, Switch, TextField } from '../../../../shared/ui'
import { apart, memberText, valueTexts } from '../../../../shared/lib/apart'
import { useWords } from '../../../../shared/lib/i18n'
import { fieldText, readJson, writeJson } from '../../../../shared/lib/values'
import { words as fieldWords } from '../../../../shared/ui/words'
import { words } from '../nodes/words'
import { JsonField } from './json'

type Schema = Readonly<Record<string, unknown>>

interface SchemaFormProps {
  /** The JSON Schema of an object. */
  schema: Schema
  data: Readonly<Record<string, unknown>>
  onChange: (change: Readonly<Record<string, unknown>>, field?: string) => void
}

/** A form for the data of a plug-in's node. What has no form of its own is edited as JSON. */
export function SchemaForm({ schema, data, onChange }: SchemaFormProps) {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).filter(([name]) => name !== 'label' && name !== 'onError')
  const labels = apart(properties, ([name, { title }]) => memberText(name, title), ([name]) => name, Infinity)
  const required = new Set((schema['required'] ?? []) as string[])
  return (
    <>
      {properties.map(([name, field], at) => (
        <Property
          key={name}
          label={labels[at] ?? name}
          schema={field}
          required={required.has(name)}
          value={data[name]}
          onChange={(value) => onChange({ [name]: value }, name)}
        />
      ))}
    </>
  )
}

interface PropertyProps {
  label: string
  schema: Schema
  required: boolean
  value: unknown
  onChange: (value: unknown) => void
}

const UNSET = '\u0000'

function Property({ label, schema, required, value, onChange }: PropertyProps) {
  const w = useWords(words)
  const { badText } = useWords(fieldWords)
  const hint = typeof schema['description'] === 'string' ? schema['description'] : undefined
  const type = schema['type']
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'] as unknown[]
    const labels = valueTexts(values)
    const choices = values.map((one, at) => ({ value: writeJson(one), label: labels[at] }))
    const options = required ? choices : [{ value: UNSET, label: w.plugInUnset }, ...choices]
    return (
      <Field label={label} hint={hint} required={required}>
        {(ids) => (
          <Select
            {...ids}
            value={value === undefined ? UNSET : writeJson(value)}
            onValueChange={(next) => onChange(next === UNSET ? undefined : readJson(next))}
            options={options}
          />
        )}
      </Field>
    )
  }
  if (type === 'boolean') return <Switch checked={value === true} onCheckedChange={onChange} label={label} showLabel />
  if (type === 'number' || type === 'integer') return <NumberField label={label} hint={hint} required={required} value={value} onChange={onChange} />
  if (type === 'string') {
    const isOther = typeof value !== 'string' && fieldText(value) !== ''
    return (
      <Field label={label} hint={hint} required={required} error={isOther && badText}>
        {(ids) => (
          <TextField
            {...ids}
            value={fieldText(value)}
            onChange={(event) => onChange(event.target.value === '' && !required ? undefined : event.target.value)}
          />
        )}
      </Field>
    )
  }
  return <JsonField label={label} hint={hint} value={value} onChange={onChange} />
}
