import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { NumberInput, Select } from '../../../shared/ui'
import { words as fieldWords } from '../../../shared/ui/words'
import { format } from '../../../shared/lib/json'
import { optionOf } from '../schema/shape'
import { Draft, emptied, settle } from '../schema/value'
import { words } from '../words'
import { useForm, type ControlProps } from './context'
import { rangeText } from './range'

/** A number, kept digit for digit as it is typed. */
export function NumberControl({ shape, path, value, ids, kept }: ControlProps<'number'>) {
  const w = useWords(words)
  const { badNumber } = useWords(fieldWords)
  const { change } = useForm()
  const range = rangeText(shape.min, shape.max)
  const wrong = value instanceof Draft && value.text !== ''
  const described = [ids['aria-describedby'], wrong && `${ids.id}-number`].filter(Boolean).join(' ')
  return (
    <>
      <div className="flex items-center gap-2">
        <NumberInput
          {...ids}
          {...(wrong && { 'aria-invalid': true, 'aria-describedby': described })}
          positive={shape.min !== undefined && !shape.min.includes('-')}
          value={value}
          placeholder={shape.default === undefined ? '' : w.default(format(shape.default))}
          onChange={(next) => change(path, emptied(next, kept))}
          className="max-w-64 font-mono text-[13px]"
        />
        {range && <span className="text-xs text-faint">{range}</span>}
      </div>
      {wrong && <p id={`${ids.id}-number`} className="text-xs text-bad-text">{badNumber}</p>}
    </>
  )
}

/** True or false, or neither yet. */
export function BooleanControl({ path, value, ids, shape }: ControlProps<'boolean'>) {
  const w = useWords(words)
  const { change } = useForm()
  const options = [[true, w.yes], [false, w.no]] as const
  return (
    <div role="radiogroup" aria-labelledby={ids['aria-labelledby']} aria-describedby={ids['aria-describedby']} className="flex items-center gap-2">
      <div className="inline-flex rounded-md border border-control bg-surface p-0.5">
        {options.map(([option, text]) => (
          <label
            key={text}
            className={classes('cursor-pointer rounded px-3 py-0.5 font-mono text-[13px] has-focus-visible:outline-2 has-focus-visible:outline-accent', value === option ? 'bg-accent-soft text-accent-text' : 'text-muted hover:bg-hover')}
          >
            <input type="radio" name={ids.id} className="sr-only" checked={value === option} onChange={() => change(path, option)} />
            {text}
          </label>
        ))}
      </div>
      {value === undefined && shape.default !== undefined && <span className="text-xs text-faint">{w.default(format(shape.default))}</span>}
    </div>
  )
}

/** One of several values. */
export function ChoiceControl({ shape, path, value, ids }: ControlProps<'choice'>) {
  const w = useWords(words)
  const { change } = useForm()
  const at = value === undefined ? -1 : optionOf(shape.options, settle(value).json)
  const placeholder = value === null ? w.null : shape.default === undefined ? '–' : w.default(format(shape.default))
  const about = shape.options[at]?.description
  return (
    <>
      <Select
        {...ids}
        value={at < 0 ? '' : String(at)}
        placeholder={placeholder}
        options={shape.options.map((option, index) => ({ value: String(index), label: option.label }))}
        onValueChange={(index) => change(path, shape.options[Number(index)]?.value)}
      />
      {about && <p className="text-xs text-faint">{about}</p>}
    </>
  )
}

/** A value that can only be this one. */
export function ConstControl({ shape, ids }: ControlProps<'const'>) {
  const w = useWords(words)
  return (
    <p className="text-[13px] text-muted">
      {w.constant} <output id={ids.id} aria-labelledby={ids['aria-labelledby']} className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs">{format(shape.value)}</output>
    </p>
  )
}
