import { useQuery } from '@tanstack/react-query'
import { toolsQuery, workflowsQuery } from '../../../shared/api/queries'
import { useWords } from '../../../shared/lib/i18n'
import { type Choice, CodeEditor, Field, JsonField, Select, TextField } from '../../../shared/ui'
import type { FormProps } from './fields'
import { words } from './words'

/** What an activity does, by its kind. */
export function RunFields(form: FormProps) {
  const kinds = { script: ScriptFields, tool: ToolFields, http: HttpFields, workflow: WorkflowFields }
  const Fields = kinds[form.draft.kind]
  return <Fields {...form} />
}

const context = ['input', 'memory', 'sessionId', 'metadata'].map((label) => ({ path: 'context', label, type: 'property' as const }))
const metadata = ['workflowName', 'currentStep', 'totalSteps', 'startedAt'].map((label) => ({ path: 'context.metadata', label, type: 'property' as const }))
const completions = [{ path: '', label: 'context', type: 'variable' as const }, ...context, ...metadata]

function ScriptFields({ draft, set, readOnly }: FormProps) {
  const w = useWords(words)
  return (
    <div className="flex flex-col gap-1">
      <CodeEditor language="javascript" label={w.scriptLabel} value={draft.script} onChange={(script) => set({ script })} readOnly={readOnly} completions={completions} className="h-64" />
      <p className="text-xs text-faint">{w.scriptHint}</p>
    </div>
  )
}

/** The choices, with the one that stands even when it is not among them any more. */
function withOwn(names: readonly string[], own: string): Choice[] {
  const all = own === '' || names.includes(own) ? names : [...names, own]
  return all.map((value) => ({ value, label: value }))
}

function ToolFields({ draft, set, readOnly }: FormProps) {
  const w = useWords(words)
  const { data: tools } = useQuery(toolsQuery)
  const servers = [...new Set((tools ?? []).map(({ server }) => server))]
  const names = (tools ?? []).filter(({ server }) => server === draft.server).map(({ name }) => name)
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={w.server} required>
        {(ids) => <Select {...ids} disabled={readOnly} placeholder={w.choose} value={draft.server} onValueChange={(server) => set({ server, tool: '' })} options={withOwn(servers, draft.server)} />}
      </Field>
      <Field label={w.tool} required>
        {(ids) => <Select {...ids} disabled={readOnly || draft.server === ''} placeholder={w.choose} value={draft.tool} onValueChange={(tool) => set({ tool })} options={withOwn(names, draft.tool)} />}
      </Field>
    </div>
  )
}

function HttpFields({ draft, set, readOnly }: FormProps) {
  const w = useWords(words)
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-[8rem_1fr] gap-4">
        <Field label={w.method}>
          {(ids) => <Select {...ids} disabled={readOnly} value={draft.method} onValueChange={(method) => set({ method })} options={withOwn(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], draft.method)} />}
        </Field>
        <Field label={w.url} required hint={w.urlHint}>
          {(ids) => <TextField {...ids} readOnly={readOnly} value={draft.url} placeholder="https://" onChange={(event) => set({ url: event.target.value })} />}
        </Field>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <JsonField object label={w.headers} hint={w.headersHint} text={draft.headers} onChange={(headers) => set({ headers })} readOnly={readOnly} className="h-36" />
        <JsonField label={w.body} hint={w.bodyHint} text={draft.body} onChange={(body) => set({ body })} readOnly={readOnly} className="h-36" />
      </div>
    </div>
  )
}

function WorkflowFields({ draft, set, readOnly }: FormProps) {
  const w = useWords(words)
  const { data: workflows } = useQuery(workflowsQuery)
  const names = (workflows ?? []).filter(({ workflowType }) => workflowType === 'session').map(({ name }) => name)
  return (
    <Field label={w.workflow} required className="max-w-sm">
      {(ids) => <Select {...ids} disabled={readOnly} placeholder={w.choose} value={draft.workflow} onValueChange={(workflow) => set({ workflow })} options={withOwn(names, draft.workflow)} />}
    </Field>
  )
}
