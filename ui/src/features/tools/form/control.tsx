import type { ComponentType } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { Button } from '../../../shared/ui'
import type { Shape } from '../schema/shape'
import { pointer } from '../schema/value'
import { words } from '../words'
import { useForm, type ControlProps } from './context'
import { JsonControl } from './json-control'

/** Whether a shape holds other fields, so that its name is a heading and no label. */
export function isGroup(shape: Shape): boolean {
  return ['object', 'array', 'tuple', 'union'].includes(shape.kind)
}

/** The control for a value. What it could not show as it is becomes JSON, for this field only. */
export function Control(props: ControlProps) {
  const w = useWords(words)
  const { document, form } = useForm()
  const { shape, path, value, depth } = props
  const fits = document.shows(shape, value)
  if (form.asJson[pointer(path)] === true || !fits) {
    return (
      <>
        {!fits && depth === 0 && <p className="text-xs text-warn-text">{w.unfit}</p>}
        <JsonControl {...props} />
      </>
    )
  }
  if (value === null && shape.kind !== 'json' && shape.kind !== 'choice' && shape.kind !== 'const') return <NullBox {...props} />
  if (value === undefined && needsSetting(shape)) return <SetButton {...props} />
  return <ByKind {...props} />
}

/** A control that is not there is JSON. */
function ByKind(props: ControlProps) {
  const { controls } = useForm()
  const Kind = (controls[props.shape.kind] ?? JsonControl) as ComponentType<ControlProps>
  return <Kind {...props} />
}

/** Parts that may contain themselves are shown when they are set, so a form always ends. */
function needsSetting(shape: Shape): boolean {
  return ['object', 'array', 'tuple', 'const', 'null'].includes(shape.kind)
}

function SetButton({ schema, path, label }: ControlProps) {
  const w = useWords(words)
  const { document, change } = useForm()
  return (
    <Button size="small" icon="plus" className="self-start border-dashed" aria-label={`${w.set}: ${label}`} onClick={() => change(path, document.empty(schema))}>
      {w.set}
    </Button>
  )
}

function NullBox({ ids }: ControlProps) {
  return (
    <output id={ids.id} aria-labelledby={ids['aria-labelledby']} className="flex h-8 items-center rounded-md border border-dashed border-line-strong px-2.5 font-mono text-[13px] text-faint">
      null
    </output>
  )
}
