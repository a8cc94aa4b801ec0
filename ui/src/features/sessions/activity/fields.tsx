import { useWords } from '../../../shared/lib/i18n'
import { fieldText, numberFrom } from '../../../shared/lib/values'
import { CodeEditor, Field, JsonField, NumberField, Select, Switch } from '../../../shared/ui'
import type { Draft } from './draft'
import { words } from './words'

export interface FormProps {
  draft: Draft
  set: (part: Partial<Draft>) => void
  readOnly: boolean
}

/** The schemas of input and output. */
export function Schemas({ draft, set, readOnly }: FormProps) {
  const w = useWords(words)
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <JsonField label={w.inputSchema} hint={w.schemaHint} text={draft.inputSchema} onChange={(inputSchema) => set({ inputSchema })} readOnly={readOnly} className="h-64" />
      <JsonField label={w.outputSchema} hint={w.schemaHint} text={draft.outputSchema} onChange={(outputSchema) => set({ outputSchema })} readOnly={readOnly} className="h-64" />
    </div>
  )
}

/** Timeout, retry, and what happens after a crash. */
export function Limits({ draft, set, readOnly }: FormProps) {
  const w = useWords(words)
  const figure = (field: 'timeout' | 'maxAttempts' | 'backoffMs', label: string) => (
    <NumberField positive label={label} readOnly={readOnly} value={numberFrom(draft[field])} onChange={(value) => set({ [field]: fieldText(value) })} />
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-3">
        {figure('timeout', w.timeout)}
        {figure('maxAttempts', w.attempts)}
        {figure('backoffMs', w.backoff)}
      </div>
      <Switch disabled={readOnly || draft.maxAttempts === ''} checked={draft.hooksPerAttempt} onCheckedChange={(hooksPerAttempt) => set({ hooksPerAttempt })} label={w.perAttempt} showLabel />
      <Field label={w.onUnknown} className="max-w-sm">
        {(ids) => (
          <Select
            {...ids}
            disabled={readOnly}
            value={draft.onUnknown || 'effect'}
            onValueChange={(choice) => set({ onUnknown: choice === 'effect' ? '' : choice })}
            options={[{ value: 'effect', label: w.byEffect }, ...['retry', 'ask', 'fail'].map((value) => ({ value, label: w.unknowns(value) }))]}
          />
        )}
      </Field>
      <Switch disabled={readOnly} checked={draft.publish} onCheckedChange={(publish) => set({ publish })} label={w.publish} showLabel />
    </div>
  )
}

/** The scripts that run after it. */
export function Callbacks({ draft, set, readOnly }: FormProps) {
  const w = useWords(words)
  const fields = [['onSuccess', w.onSuccess], ['onFailure', w.onFailure], ['onComplete', w.onComplete]] as const
  return (
    <div className="flex flex-col gap-4">
      {fields.map(([field, label]) => (
        <div key={field} className="flex flex-col gap-1">
          <span aria-hidden className="text-[13px] font-medium">{label}</span>
          <CodeEditor language="javascript" label={label} value={draft[field]} onChange={(text) => set({ [field]: text })} readOnly={readOnly} className="h-24" />
        </div>
      ))}
    </div>
  )
}
