import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { workflowsQuery } from '../../shared/api/queries'
import type { JsonSchema } from '../../shared/api/types'
import { exampleValue, isComplete, presetValue } from '../../shared/lib/example'
import { fillsInput, firstActivity, readGraph } from '../../shared/lib/graph'
import { useWords } from '../../shared/lib/i18n'
import { valueOf, writeJson } from '../../shared/lib/values'
import { Button, Failure, Field, FormDialog, JsonField, Notice, Select, Switch, useToast } from '../../shared/ui'
import { activitiesQuery, type Schedule, saveSchedule } from './api'
import { bodyOf, type Draft, draftOf, isReady, newDraft, patchOf } from './draft'
import { ownZone } from './times'
import { WhenFields } from './when'
import { words } from './words'

/** Creates a schedule, or changes one. */
export function ScheduleDialog({ schedule, onClose }: { schedule: Schedule | null; onClose: () => void }) {
  const w = useWords(words)
  const [before] = useState<Draft>(() => {
    const fresh = newDraft(Date.now(), ownZone())
    return schedule ? draftOf(schedule, fresh) : fresh
  })
  const [edited, setEdited] = useState(before)
  const { names, schema, fills, isPending } = useWorkflows(edited.workflowName)
  // The first workflow is the one, and what its schema sets the input, until something else is chosen.
  const draft: Draft = { ...edited, workflowName: edited.workflowName || (names[0] ?? ''), input: edited.input ?? writeJson(presetValue(schema), 2) }
  const set = (part: Partial<Draft>) => setEdited((now) => ({ ...now, ...part }))
  // What is there already may be changed in part, whatever it lacks.
  const lacks = schedule === null && !isComplete(fills ? null : schema, valueOf(draft.input ?? '').value ?? {})
  const save = useSave(schedule, before, onClose)
  const options = names.map((name) => ({ value: name, label: name }))
  return (
    <FormDialog
      open
      dirty={JSON.stringify(edited) !== JSON.stringify(before)}
      onOpenChange={(open) => !open && onClose()}
      title={schedule ? w.editTitle(schedule.workflowName) : w.create}
      footer={<Button look="primary" icon="check" busy={save.isPending} disabled={!isReady(draft) || lacks} onClick={() => save.mutate(draft)}>{w.save}</Button>}
    >
      <div className="flex flex-col gap-4">
        {!isPending && names.length === 0 && <Notice tone="warn">{w.noWorkflow}</Notice>}
        <Field label={w.workflow} hint={w.workflowHint}>
          {(ids) => <Select {...ids} value={draft.workflowName} onValueChange={(workflowName) => set({ workflowName })} options={options} />}
        </Field>
        <WhenFields draft={draft} set={set} />
        <JsonField object label={w.input} hint={`${w.inputHint} ${w.forExample(writeJson(schema ? exampleValue(schema) : {}))}`} text={draft.input ?? ''} onChange={(input) => set({ input })} className="h-28" />
        <Field label={w.missed}>
          {(ids) => (
            <Select
              {...ids}
              value={draft.missed}
              onValueChange={(missed) => set({ missed: missed as Draft['missed'] })}
              options={[{ value: 'skip', label: w.skip }, { value: 'once', label: w.makeUp }]}
            />
          )}
        </Field>
        <Switch checked={draft.overlap} onCheckedChange={(overlap) => set({ overlap })} label={w.overlap} showLabel />
        {save.error && <Notice tone="bad"><Failure error={save.error} /></Notice>}
      </div>
    </FormDialog>
  )
}

/** The names that may be chosen, with the present one, and what the chosen one takes. */
function useWorkflows(chosen: string): { names: string[]; schema: JsonSchema | null | undefined; fills: boolean; isPending: boolean } {
  const { data: workflows, isPending } = useQuery(workflowsQuery)
  const { data: activities } = useQuery(activitiesQuery)
  const sessions = (workflows ?? []).filter(({ workflowType }) => workflowType === 'session')
  const active = sessions.filter(({ enabled }) => enabled).map(({ name }) => name)
  const names = chosen !== '' && !active.includes(chosen) ? [...active, chosen] : active
  const workflow = sessions.find(({ name }) => name === (chosen || names[0]))
  const graph = workflow && readGraph(workflow.nodes, workflow.edges)
  const first = graph && firstActivity(graph)
  const schema = activities?.find(({ name }) => name === first)?.inputSchema as JsonSchema | null | undefined
  return { names, schema, fills: graph !== undefined && fillsInput(graph), isPending }
}

function useSave(schedule: Schedule | null, before: Draft, onClose: () => void) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (draft: Draft) => saveSchedule(schedule?.id, schedule ? patchOf(before, draft) : bodyOf(draft)),
    onSuccess: () => {
      toast({ tone: 'good', title: schedule ? w.saved : w.created })
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}
