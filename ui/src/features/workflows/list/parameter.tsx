import { useWords } from '../../../shared/lib/i18n'
import { fieldText, numberFrom } from '../../../shared/lib/values'
import { Field, NumberField, Switch, TextArea, TextField } from '../../../shared/ui'
import { words } from '../words'
import { type Parameter, valueOf } from './parameters'

interface ParameterFieldProps {
  parameter: Parameter
  text: string
  onChange: (text: string) => void
}

/** One parameter of a template. */
export function ParameterField({ parameter, text, onChange }: ParameterFieldProps) {
  const w = useWords(words)
  const { name, type, description, required } = parameter
  if (type === 'boolean') {
    return (
      <div>
        <Switch checked={text === 'true'} onCheckedChange={(on) => onChange(String(on))} label={name} showLabel />
        <p className="mt-1 text-xs text-faint">{description}</p>
      </div>
    )
  }
  if (type === 'number') return <NumberField label={name} hint={description} required={required} value={numberFrom(text)} onChange={(value) => onChange(fieldText(value))} />
  const error = valueOf(parameter, text) instanceof Error && w.badJson
  const lines = type === 'list' || type === 'object'
  const kind = type === 'list' ? w.onePerLine : type === 'object' ? w.jsonObject : undefined
  return (
    <Field label={name} hint={kind === undefined ? description : w.described(description, kind)} error={error} required={required}>
      {(ids) =>
        lines ? (
          <TextArea {...ids} className="font-mono text-xs" value={text} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <TextField {...ids} value={text} onChange={(event) => onChange(event.target.value)} />
        )
      }
    </Field>
  )
}
