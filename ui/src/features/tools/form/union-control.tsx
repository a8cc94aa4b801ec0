import { useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { Select } from '../../../shared/ui'
import type { SchemaDocument } from '../schema/document'
import { emptyObject } from '../../../shared/lib/json'
import { holdsDraft } from '../../../shared/lib/values'
import type { Schema } from '../schema/merge'
import type { Variant } from '../schema/shape'
import { choiceAt, isValueObject, setAt, type Value, type ValueObject } from '../schema/value'
import { words } from '../words'
import { useForm, type ControlProps } from './context'
import { Control } from './control'

/** One of several forms. What the others held comes back when one returns to them. */
export function UnionControl({ shape, path, value, ids, label, kept, depth }: ControlProps<'union'>) {
  const w = useWords(words)
  const { document, form, update } = useForm()
  const place = choiceAt(path, depth)
  const [last, setLast] = useState(-1)
  const guess = stays(document, shape.variants[last], value) ? last : document.variant(shape.variants, value)
  if (guess !== last) setLast(guess)
  const at = Math.min(form.choices[place] ?? guess, shape.variants.length - 1)
  const variant = shape.variants[at]
  if (variant === undefined) return null
  const pick = (index: number) => {
    const schema = shape.variants[index]?.schema ?? true
    update(({ value: whole, choices, parked }) => {
      const next = parked[`${place}/${index}`] ?? carry(document, schema, value)
      const held = value === undefined ? parked : { ...parked, [`${place}/${at}`]: value }
      return { choices: { ...choices, [place]: index }, parked: held, value: setAt(whole, path, next) ?? emptyObject() }
    })
  }
  const inner = document.shape(variant.schema, value)
  return (
    <div className="flex flex-col gap-3">
      <Select
        aria-label={`${w.variant}: ${label}`}
        value={String(at)}
        options={shape.variants.map((one, index) => ({ value: String(index), label: one.label }))}
        onValueChange={(index) => pick(Number(index))}
        className="max-w-72"
      />
      {inner.description && <p className="text-xs text-faint">{inner.description}</p>}
      <Control shape={inner} schema={variant.schema} path={path} value={value} ids={ids} label={label} kept={kept} depth={depth + 1} />
    </div>
  )
}

/** Whether a value is still of the variant that it was, since nothing else can be told while it is being typed. */
function stays(document: SchemaDocument, variant: Variant | undefined, value: Value | undefined): boolean {
  if (variant === undefined || !(value === undefined || holdsDraft(value))) return false
  return document.shows(document.shape(variant.schema, value), value)
}

/** The first value of a variant, with what the old value already has for it. */
function carry(document: SchemaDocument, schema: Schema, old: Value | undefined): Value | undefined {
  if (old === undefined) return undefined
  const shape = document.shape(schema)
  const first = document.empty(schema)
  if (shape.kind !== 'object' || !isValueObject(old) || !isValueObject(first)) return document.shows(shape, old) ? old : first
  const out = emptyObject() as ValueObject
  Object.assign(out, first)
  for (const member of shape.members) {
    const value = Object.hasOwn(old, member.name) ? old[member.name] : undefined
    if (value !== undefined && document.shows(document.shape(member.schema, value), value)) out[member.name] = value
  }
  return out
}
