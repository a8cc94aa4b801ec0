import { useId, type ReactNode } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, IconButton, Menu, type MenuItem } from '../../../shared/ui'
import { format, type Json } from '../../../shared/lib/json'
import type { Schema } from '../schema/merge'
import type { Shape } from '../schema/shape'
import { Draft, isValueObject, pointer, settle, valueAt, type Path, type Value } from '../schema/value'
import { words } from '../words'
import { useForm } from './context'
import { Control, isGroup } from './control'

interface FieldProps {
  schema: Schema
  path: Path
  label: ReactNode
  /** The label as plain text. */
  name: string
  required?: boolean
  /** Whether it keeps its place when it is emptied: an item, or a member that only the value names. */
  kept?: boolean
  /** Buttons beside the menu, such as those that move an item. */
  actions?: ReactNode
}

/** One value of the form: its name, what is known about it, its control, and what is wrong with it. */
export function SchemaField({ schema, path, label, name, required, kept = false, actions }: FieldProps) {
  const { document, form, troubles } = useForm()
  const id = useId()
  const value = valueAt(form.value, path)
  const shape = document.shape(schema, value)
  const place = pointer(path)
  const found = troubles.get(place) ?? []
  const described = [shape.description && `${id}-about`, found.length > 0 && `${id}-trouble`].filter(Boolean).join(' ')
  const ids = {
    id,
    'aria-labelledby': `${id}-label`,
    ...(described && { 'aria-describedby': described }),
    ...(found.length > 0 && { 'aria-invalid': true as const }),
  }
  const group = isGroup(shape)
  return (
    <div data-field={place} className="flex min-w-0 flex-col gap-1" {...(group && { role: 'group', 'aria-labelledby': `${id}-label` })}>
      <div className="flex min-h-7 items-center gap-2">
        <FieldLabel id={id} group={group} label={label} shape={shape} required={required ?? false} />
        <span className="ml-auto flex items-center gap-0.5">
          <ValueState value={value} />
          {actions}
          <FieldMenu schema={schema} shape={shape} path={path} name={name} value={value} kept={kept} />
        </span>
      </div>
      {shape.description && <p id={`${id}-about`} className="-mt-0.5 text-xs text-faint [overflow-wrap:anywhere]">{shape.description}</p>}
      <Control shape={shape} schema={schema} path={path} value={value} ids={ids} label={name} kept={kept} depth={0} />
      {found.length > 0 && <p id={`${id}-trouble`} className="text-xs text-bad-text [overflow-wrap:anywhere]">{found.join('; ')}</p>}
    </div>
  )
}

function FieldLabel({ id, group, label, shape, required }: { id: string; group: boolean; label: ReactNode; shape: Shape; required: boolean }) {
  const w = useWords(words)
  const Tag = group || shape.kind === 'boolean' || shape.kind === 'const' ? 'span' : 'label'
  const text = kindText(shape)
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <Tag id={`${id}-label`} {...(Tag === 'label' && { htmlFor: id })} className="min-w-0 text-[13px] font-medium [overflow-wrap:anywhere]">{label}</Tag>
      {text && <span className="font-mono text-[11px] text-faint">{text}</span>}
      {required && <span className="text-[11px] text-warn-text">{w.required}</span>}
      {shape.deprecated && <Badge tone="warn">{w.deprecated}</Badge>}
    </span>
  )
}

/** The type of a value in a word, where its control does not show it. */
function kindText(shape: Shape): string {
  const end = shape.nullable ? ' | null' : ''
  if (shape.kind === 'string') return (shape.format ?? 'string') + end
  if (shape.kind === 'number') return (shape.integer ? 'integer' : 'number') + end
  if (shape.kind === 'array' || shape.kind === 'tuple') return `array${end}`
  if (shape.kind === 'choice') return `enum${end}`
  if (shape.kind === 'json') return 'any'
  return shape.kind === 'union' || shape.kind === 'const' ? end.slice(3) : shape.kind + end
}

/** Whether a value is there: not set, empty and null are three things. */
function ValueState({ value }: { value: Value | undefined }) {
  const w = useWords(words)
  const text =
    value === undefined ? w.notSet
    : value === null ? w.null
    : value === '' ? w.emptyText
    : Array.isArray(value) && value.length === 0 ? w.emptyList
    : isValueObject(value) && Object.keys(value).length === 0 ? w.emptyObject
    : undefined
  if (text === undefined) return null
  return <span data-is={value === undefined ? 'unset' : value === null ? 'null' : 'empty'} className={classes('text-[11px] whitespace-nowrap', value === undefined ? 'text-faint' : 'rounded bg-info-soft px-1.5 text-info-text')}>{text}</span>
}

interface FieldMenuProps {
  schema: Schema
  shape: Shape
  path: Path
  name: string
  value: Value | undefined
  /** What keeps its place is removed by a button beside the menu, and not emptied. */
  kept: boolean
}

function FieldMenu({ schema, shape, path, name, value, kept }: FieldMenuProps) {
  const w = useWords(words)
  const { document, form, change, setAsJson } = useForm()
  const asJson = form.asJson[pointer(path)] === true
  const short = (json: Json) => (format(json).length > 32 ? `${format(json).slice(0, 31)}…` : format(json))
  const items: MenuItem[] = []
  const add = (label: string, onSelect: () => void) => items.push({ label, onSelect })
  const text = shape.kind === 'string' || (shape.kind === 'union' && document.shows(shape, ''))
  const empty: Value = text ? '' : document.empty(schema)
  const settled = value === undefined || value instanceof Draft ? undefined : format(settle(value).json)
  if (!(empty instanceof Draft) && settled !== format(settle(empty).json) && shape.kind !== 'choice') add(w.setEmpty, () => change(path, empty))
  if (shape.nullable && value !== null) add(w.setNull, () => change(path, null))
  const byDefault = shape.default
  if (byDefault !== undefined && settled !== format(byDefault)) add(w.takeDefault(short(byDefault)), () => change(path, byDefault))
  for (const example of shape.examples.slice(0, 5)) add(w.takeExample(short(example)), () => change(path, example))
  if (shape.kind !== 'json') add(asJson ? w.asForm : w.asJson, () => setAsJson(path, !asJson))
  if (value !== undefined && !kept) add(w.unset, () => change(path, undefined))
  if (items.length === 0) return null
  return <Menu items={items}><IconButton icon="more" size="small" label={w.options(name)} /></Menu>
}
