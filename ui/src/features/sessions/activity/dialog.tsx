import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../shared/api/client'
import { useWords } from '../../../shared/lib/i18n'
import { holdsDraft, numberFrom, valueOf } from '../../../shared/lib/values'
import { Button, Failure, Field, FormDialog, Notice, Select, Tabs, TextField, useToast } from '../../../shared/ui'
import { type ActivityView, changeActivity, createActivity } from './api'
import { bodyOf, type Draft, draftOf, hasMask, type Kind, KINDS, NEW, patchOf } from './draft'
import { Callbacks, Limits, Schemas } from './fields'
import { RunFields } from './run-fields'
import { words } from './words'

/** Creates an activity, changes one, or shows one of the config file. */
export function ActivityDialog({ activity, onClose }: { activity: ActivityView | null; onClose: () => void }) {
  const w = useWords(words)
  const [before] = useState<Draft>(() => (activity ? draftOf(activity) : NEW))
  const [draft, setDraft] = useState(before)
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const readOnly = activity?.source === 'config'
  const save = useSave(activity, before, onClose)
  const form = { draft, set, readOnly }
  return (
    <FormDialog
      open
      dirty={JSON.stringify(draft) !== JSON.stringify(before)}
      size="large"
      onOpenChange={(open) => !open && onClose()}
      title={activity ? w.editTitle(activity.name) : w.create}
      footer={!readOnly && <Button needs="editor" look="primary" icon="check" busy={save.isPending} disabled={draft.name.trim() === ''} onClick={() => save.mutate(draft)}>{w.save}</Button>}
    >
      <div className="flex flex-col gap-4">
        {readOnly && <Notice>{w.readOnly}</Notice>}
        {save.error && <Notice tone="bad"><Failure error={save.error} /></Notice>}
        <div className="grid gap-4 sm:grid-cols-[1fr_12rem]">
          <Field label={w.name} required hint={activity ? undefined : w.nameHint}>
            {(ids) => <TextField {...ids} readOnly={activity !== null} value={draft.name} onChange={(event) => set({ name: event.target.value })} />}
          </Field>
          <Field label={w.kind}>
            {(ids) => <Select {...ids} disabled={readOnly} value={draft.kind} onValueChange={(kind) => set({ kind: kind as Kind })} options={KINDS.map((kind) => ({ value: kind, label: w.kinds(kind) }))} />}
          </Field>
        </div>
        <Field label={w.description}>
          {(ids) => <TextField {...ids} readOnly={readOnly} value={draft.description} onChange={(event) => set({ description: event.target.value })} />}
        </Field>
        <Tabs
          label={activity?.name ?? w.create}
          tabs={[
            { value: 'run', label: w.tabRun, content: <RunFields {...form} /> },
            { value: 'schemas', label: w.tabSchemas, content: <Schemas {...form} /> },
            { value: 'limits', label: w.tabLimits, content: <Limits {...form} /> },
            { value: 'callbacks', label: w.tabCallbacks, content: <Callbacks {...form} /> },
          ]}
        />
      </div>
    </FormDialog>
  )
}

/** Saves what was changed; a text that is no JSON, or no number, is named before anything is sent. */
function useSave(activity: ActivityView | null, before: Draft, onClose: () => void) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  const label: Partial<Record<keyof Draft, string>> = { inputSchema: w.inputSchema, outputSchema: w.outputSchema, headers: w.headers, body: w.body }
  const read = (draft: Draft) => {
    for (const [field, name] of Object.entries(label)) {
      const text = draft[field as 'headers']
      if (valueOf(text).bad) throw new Error(w.badJson(name))
    }
    for (const [field, name] of [['timeout', w.timeout], ['maxAttempts', w.attempts], ['backoffMs', w.backoff]] as const) {
      if (holdsDraft(numberFrom(draft[field]))) throw new Error(w.badNumber(name))
    }
    return bodyOf(draft)
  }
  return useMutation({
    mutationFn: async (draft: Draft) => {
      const body = read(draft)
      if (!activity) return createActivity(body)
      const patch = patchOf(bodyOf(before), body)
      if (hasMask(patch)) throw new Error(w.masked)
      try {
        return await changeActivity(activity, patch)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'CONFLICT') throw new Error(w.conflict, { cause: error })
        throw error
      }
    },
    onSuccess: () => {
      toast({ tone: 'good', title: activity ? w.saved : w.created })
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['activities'] }),
  })
}
