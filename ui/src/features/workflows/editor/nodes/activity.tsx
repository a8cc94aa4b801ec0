import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useWords } from '../../../../shared/lib/i18n'
import { Draft } from '../../../../shared/lib/json'
import { isRecord, recordOf, textOf } from '../../../../shared/lib/values'
import { Field, Switch, TextField } from '../../../../shared/ui'
import { activitiesQuery } from '../../api'
import { JsonField } from '../fields/json'
import { ScriptField } from '../fields/script'
import { useData } from '../fields/use-data'
import { type GraphNode, merged } from '../graph'
import { words } from './words'
import type { NodeKind } from './kind'

type Step = Readonly<Record<string, unknown>>

const stepOf = (node: GraphNode): Step => recordOf(node.data['step'])

/** Where a step holds what is typed in the place of all its other keys while it cannot be read yet. */
const MORE = 'more'

const KNOWN = new Set(['activity', 'optional', 'condition', 'inputMapper', 'input', 'compensate'])

function ActivityForm({ node }: { node: GraphNode }) {
  const w = useWords(words)
  const step = stepOf(node)
  const { set } = useData(node)
  const change = (part: Step, field?: string) => set({ step: merged(step, part) }, field)
  const put = (key: 'condition' | 'inputMapper' | 'compensate') => (text: string) =>
    change({ [key]: text.trim() === '' ? undefined : text }, key)
  const expressions = [
    { key: 'condition', label: w.condition, hint: w.conditionHint },
    { key: 'inputMapper', label: w.inputMapper, hint: w.inputMapperHint },
  ] as const
  return (
    <>
      <NameField label={w.activity} hint={w.activityHint} value={step['activity']} onChange={(name) => change({ activity: name }, 'activity')} />
      <Choice label={w.optional} hint={w.optionalHint} on={step['optional'] === true} onChange={(optional) => change({ optional })} />
      <Choice
        label={w.approve}
        hint={w.approveHint}
        on={step['approve'] !== undefined && step['approve'] !== false}
        onChange={(approve) => change({ approve })}
      />
      {expressions.map(({ key, label, hint }) => (
        <ScriptField key={key} label={label} hint={hint} expression value={textOf(step[key])} onChange={put(key)} />
      ))}
      <JsonField label={w.constantInput} value={step['input']} onChange={(input) => change({ input }, 'input')} rows={3} />
      <NameField label={w.compensate} hint={w.compensateHint} value={step['compensate']} onChange={put('compensate')} />
      <MoreField step={step} onChange={(next) => set({ step: next }, 'more')} />
    </>
  )
}

interface NameFieldProps {
  label: string
  hint: string
  value: unknown
  onChange: (name: string) => void
}

/** The name of an activity, with those that there are to choose from. */
function NameField({ label, hint, value, onChange }: NameFieldProps) {
  const list = useId()
  const { data: names } = useQuery(activitiesQuery)
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <>
          <TextField {...ids} list={list} value={textOf(value)} onChange={(event) => onChange(event.target.value)} />
          <datalist id={list}>
            {names?.map((name) => (
              <option key={name} value={name}>{name}</option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

interface ChoiceProps {
  label: string
  hint: string
  on: boolean
  onChange: (on: true | undefined) => void
}

/** Something that a step has, or has not. */
function Choice({ label, hint, on, onChange }: ChoiceProps) {
  return (
    <div>
      <Switch checked={on} onCheckedChange={(next) => onChange(next || undefined)} label={label} showLabel />
      <p className="mt-1 text-xs text-faint">{hint}</p>
    </div>
  )
}

/** What the form has no field for: branches, events, groups. */
function MoreField({ step, onChange }: { step: Step; onChange: (step: Step) => void }) {
  const w = useWords(words)
  const part = (known: boolean) => Object.fromEntries(Object.entries(step).filter(([key]) => KNOWN.has(key) === known))
  const others = part(false)
  const more = step[MORE] instanceof Draft ? step[MORE] : Object.keys(others).length > 0 ? others : undefined
  const change = (value: unknown) => onChange(value instanceof Draft ? { ...step, [MORE]: value } : { ...part(true), ...(isRecord(value) ? value : {}) })
  return <JsonField object label={w.moreOfStep} value={more} onChange={change} rows={4} />
}

export const activity: NodeKind = {
  type: 'activity',
  place: 'session',
  name: (w) => w.nodeActivity,
  offers: [
    {
      key: 'activity',
      type: 'activity',
      name: (w) => w.nodeActivity,
      text: (w) => w.nodeActivityText,
      data: { step: { activity: '' } },
    },
  ],
  detail: (node, w) => {
    const { activity: own, optional, parallel } = stepOf(node)
    if (Array.isArray(parallel)) return parallel.map((step) => textOf(recordOf(step)['activity']) || '?').join(' + ')
    const name = textOf(own)
    return name ? `${name}${optional ? ` · ${w.optional}` : ''}` : w.noActivity
  },
  Form: ActivityForm,
}
