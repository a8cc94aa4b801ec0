import { useId } from 'react'
import { useWords } from '../../shared/lib/i18n'
import { fieldText, numberFrom } from '../../shared/lib/values'
import { Field, NumberField, Select, TextField } from '../../shared/ui'
import { Choices } from '../../shared/ui/choices'
import type { Draft } from './draft'
import { KINDS, type Unit, UNITS, zones } from './times'
import { words } from './words'

interface WhenProps {
  draft: Draft
  set: (part: Partial<Draft>) => void
}

/** When a schedule starts something: once, at an interval, or by a cron expression. */
export function WhenFields({ draft, set }: WhenProps) {
  const w = useWords(words)
  return (
    <section aria-label={w.when} className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-[13px] font-semibold">{w.when}</h3>
        <Choices label={w.when} value={draft.kind} options={KINDS.map((kind) => [kind, w.kinds(kind)] as const)} onChange={(kind) => set({ kind })} />
      </div>
      {draft.kind === 'at' && (
        <Field label={w.at} hint={w.atHint}>
          {(ids) => <TextField {...ids} type="datetime-local" step={1} value={draft.at} onChange={(event) => set({ at: event.target.value })} />}
        </Field>
      )}
      {draft.kind === 'every' && <IntervalFields draft={draft} set={set} />}
      {draft.kind === 'cron' && <CronFields draft={draft} set={set} />}
    </section>
  )
}

function IntervalFields({ draft, set }: WhenProps) {
  const w = useWords(words)
  return (
    <div className="grid grid-cols-2 gap-3">
      <NumberField positive label={w.count} value={numberFrom(draft.count)} onChange={(count) => set({ count: fieldText(count) })} />
      <Field label={w.unit}>
        {(ids) => <Select {...ids} value={draft.unit} onValueChange={(unit) => set({ unit: unit as Unit })} options={UNITS.map((unit) => ({ value: unit, label: w.units(unit) }))} />}
      </Field>
    </div>
  )
}

function CronFields({ draft, set }: WhenProps) {
  const w = useWords(words)
  const list = useId()
  const examples = [['0 * * * *', w.hourly], ['0 8 * * *', w.daily], ['0 8 * * mon-fri', w.workdays], ['0 8 1 * *', w.monthly]] as const
  return (
    <>
      <Field label={w.cron} hint={w.cronHint}>
        {(ids) => <TextField {...ids} className="font-mono" value={draft.cron} onChange={(event) => set({ cron: event.target.value })} />}
      </Field>
      <div role="group" aria-label={w.examples} className="flex flex-wrap gap-1.5">
        {examples.map(([cron, text]) => (
          <button key={cron} type="button" aria-pressed={draft.cron === cron} onClick={() => set({ cron })} className="rounded-full border border-line px-2.5 py-0.5 text-xs text-muted hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent-text">
            {text}
          </button>
        ))}
      </div>
      <Field label={w.timeZone} hint={w.timeZoneHint}>
        {(ids) => (
          <>
            <TextField {...ids} list={list} value={draft.timeZone} onChange={(event) => set({ timeZone: event.target.value })} />
            <datalist id={list}>{zones().map((zone) => <option key={zone} value={zone}>{zone}</option>)}</datalist>
          </>
        )}
      </Field>
    </>
  )
}
