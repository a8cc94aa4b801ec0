import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { workflowsQuery } from '../../../shared/api/queries'
import type { JsonSchema } from '../../../shared/api/types'
import { exampleValue, isComplete, presetValue } from '../../../shared/lib/example'
import { fillsInput, firstActivity, readGraph } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { holdsDraft, isRecord, valueOf, writeJson } from '../../../shared/lib/values'
import { Button, Dialog, Failure, Field, JsonField, Notice, Select, Tabs, useToast } from '../../../shared/ui'
import { activitiesQuery } from '../activity/api'
import { startSession } from '../api'
import { sayingOf } from '../reply'
import { words } from '../words'
import { fieldsOf } from './fields'
import { InputForm, jsonOf, type Values } from './form'

/** Starts a session: a workflow and its input. */
export function StartDialog({ onClose }: { onClose: () => void }) {
  const w = useWords(words)
  const { data: workflows } = useQuery(workflowsQuery)
  const active = (workflows ?? []).filter(({ workflowType, enabled }) => workflowType === 'session' && enabled)
  const [picked, setPicked] = useState<string>()
  const chosen = active.find(({ id }) => id === picked) ?? active[0]
  const graph = chosen && readGraph(chosen.nodes, chosen.edges)
  const schema = useSchema(graph && firstActivity(graph))
  const [typed, setTyped] = useState<Record<string, Typed>>({})
  const input = (chosen && typed[chosen.id]) ?? { text: chosen ? jsonOf(presetValue(schema)) : '' }
  const value = valueIn(input)
  const start = useStart(onClose)
  const isReady = graph !== undefined && isComplete(fillsInput(graph) ? null : schema, value) && !holdsDraft(value)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={w.start}
      description={w.startAbout}
      footer={<Button look="primary" icon="play" busy={start.isPending} disabled={!isReady} onClick={() => chosen && start.mutate({ id: chosen.id, input: value })}>{w.startNow}</Button>}
    >
      {workflows && active.length === 0 && <Notice tone="warn">{w.noWorkflow}</Notice>}
      {chosen && (
        <div className="flex flex-col gap-4">
          <Field label={w.workflow} hint={chosen.description}>
            {(ids) => <Select {...ids} value={chosen.id} onValueChange={setPicked} options={active.map(({ id, name }) => ({ value: id, label: name }))} />}
          </Field>
          <StartInput key={chosen.id} schema={schema} typed={input} onChange={(next) => setTyped({ ...typed, [chosen.id]: next })} />
          {start.error && <Notice tone="bad"><Failure error={start.error} /></Notice>}
        </div>
      )}
    </Dialog>
  )
}

/** An input as text, and as the values of the form while that was typed into last: it may hold half a number. */
interface Typed {
  text: string
  values?: Values
}

const valueIn = ({ text, values }: Typed): unknown => values ?? valueOf(text).value

/** What the first activity of a workflow takes. */
function useSchema(activity: string | undefined): JsonSchema | null | undefined {
  const { data: activities } = useQuery(activitiesQuery)
  return activities?.find(({ name }) => name === activity)?.inputSchema as JsonSchema | null | undefined
}

/** The input as a form where a form can hold it, and as JSON. */
function StartInput({ schema, typed, onChange }: { schema: JsonSchema | null | undefined; typed: Typed; onChange: (typed: Typed) => void }) {
  const w = useWords(words)
  const fields = fieldsOf(schema)
  const value = valueIn(typed)
  const example = schema ? exampleValue(schema) : {}
  const json = <JsonField object label={w.input} hint={w.forExample(writeJson(example))} text={typed.text} onChange={(text) => text !== typed.text && onChange({ text })} className="h-44" />
  if (!fields) return json
  const form = isRecord(value) ? <InputForm fields={fields} values={value} example={isRecord(example) ? example : {}} onChange={(values) => onChange({ text: jsonOf(values), values })} /> : <Notice tone="warn">{w.badJson}</Notice>
  // Who looks at the JSON has just what stands there: half a value of the form can be a whole one of another kind.
  const look = (tab: string) => tab === 'json' && 'value' in valueOf(typed.text) && onChange({ text: typed.text })
  return <Tabs label={w.input} onValueChange={look} tabs={[{ value: 'form', label: w.asForm, content: form }, { value: 'json', label: 'JSON', content: json }]} />
}

/** Starts, and opens what was started. A first step that failed has a session too, which the list shows. */
function useStart(onClose: () => void) {
  const w = useWords(words)
  const client = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  return useMutation({
    mutationFn: async ({ id, input }: { id: string; input: unknown }) => {
      const reply = await startSession(id, input)
      if (reply.isError) throw new Error(sayingOf(reply, w))
      return reply
    },
    onSuccess: (reply) => {
      onClose()
      toast({ tone: 'good', title: sayingOf(reply, w) })
      const id = reply.structuredContent?.sessionId
      if (id) void navigate({ to: '/sessions/$id', params: { id } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['session-list'] }),
  })
}
