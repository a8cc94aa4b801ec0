import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { WorkflowView } from '../../../shared/api/types'
import { apart } from '../../../shared/lib/apart'
import { useLanguage, useWords } from '../../../shared/lib/i18n'
import { Badge, Button, ConfirmDialog, Dialog, Failure, Field, Icon, IconButton, type IconName, Notice, Select, TextField, useToast } from '../../../shared/ui'
import { activitiesQuery, createFromTemplate, createWorkflow, deleteTemplate, type Template, templatesQuery } from '../api'
import { blankGraph, sessionGraph } from '../editor/edits'
import type { WorkflowType } from '../editor/rules'
import { words } from '../words'
import { ParameterField } from './parameter'
import { isReady, startValue, valueOf } from './parameters'
import { inLanguage } from './shipped'

/** A new workflow: blank, or from a template. */
export function CreateDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const w = useWords(words)
  const [choice, setChoice] = useState<Template | 'blank' | null>(null)
  const close = (next: boolean) => {
    setChoice(null)
    onOpenChange(next)
  }
  return (
    <Dialog open={open} onOpenChange={close} title={w.createTitle}>
      {choice === null && <Choices onChoose={setChoice} />}
      {choice === 'blank' && <BlankForm onBack={() => setChoice(null)} />}
      {choice !== null && choice !== 'blank' && <TemplateForm template={choice} onBack={() => setChoice(null)} />}
    </Dialog>
  )
}

function Choices({ onChoose }: { onChoose: (choice: Template | 'blank') => void }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const templates = (useQuery(templatesQuery).data ?? []).map((one) => inLanguage(one, language))
  const titles = apart(templates, ({ name }) => name, ({ id }) => id)
  return (
    <div className="flex flex-col gap-2">
      <ChoiceButton icon="plus" title={w.createBlank} text={w.createBlankText} onClick={() => onChoose('blank')} />
      <h3 className="mt-2 text-xs font-semibold text-muted">{w.createTemplate}</h3>
      <ul className="grid gap-2 sm:grid-cols-2">
        {templates.map((template, at) => (
          <li key={template.id} className="relative flex">
            <TemplateChoice template={template} title={titles[at] ?? ''} onChoose={() => onChoose(template)} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function TemplateChoice({ template, title, onChoose }: { template: Template; title: string; onChoose: () => void }) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteTemplate(template.id),
    onSuccess: () => toast({ tone: 'good', title: w.removed(title) }),
    onError: (error) => toast({ tone: 'bad', error }),
    onSettled: () => {
      setAsking(false)
      return client.invalidateQueries({ queryKey: templatesQuery.queryKey })
    },
  })
  return (
    <>
      <ChoiceButton
        icon="workflow"
        title={title}
        text={template.error ?? template.description}
        {...(template.workflowType ? { badge: template.workflowType } : {})}
        disabled={Boolean(template.error)}
        onClick={onChoose}
      />
      {template.source === 'own' && (
        <IconButton needs="editor" icon="trash" size="small" className="absolute right-1.5 bottom-1.5" label={w.templateRemove(title)} onClick={() => setAsking(true)} />
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={w.removeTitle(title)}
        description={w.templateRemoveText}
        confirm={w.remove}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}

interface ChoiceButtonProps {
  icon: IconName
  title: string
  text: string
  badge?: string
  disabled?: boolean
  onClick: () => void
}

function ChoiceButton({ icon, title, text, badge, disabled, onClick }: ChoiceButtonProps) {
  return (
    <button type="button" disabled={disabled} onClick={onClick} className="flex w-full items-start gap-3 rounded-lg border border-line-strong p-3 text-left transition-colors hover:border-accent hover:bg-hover">
      <Icon name={icon} size={18} className="mt-0.5 text-accent-text" />
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {title}
          {badge && <Badge className="font-mono">{badge}</Badge>}
        </span>
        <span className="mt-0.5 block text-[13px] text-muted">{text}</span>
      </span>
    </button>
  )
}

/** Creates, and opens the editor; tells what went wrong. */
function useCreate() {
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const create = async (make: () => Promise<WorkflowView>) => {
    setBusy(true)
    setError(undefined)
    try {
      const { id } = await make()
      await navigate({ to: '/workflows/$id', params: { id } })
    } catch (cause) {
      setError(cause)
      setBusy(false)
    }
  }
  return { create, error, busy }
}

function BlankForm({ onBack }: { onBack: () => void }) {
  const w = useWords(words)
  const [name, setName] = useState('')
  const [type, setType] = useState<WorkflowType>('tools/call')
  const [activity, setActivity] = useState('')
  const { create, error, busy } = useCreate()
  const isSession = type === 'session'
  const graph = isSession ? sessionGraph(activity) : blankGraph(type)
  const submit = () => create(() => createWorkflow({ name, description: '', workflowType: type, graph }))
  const kinds = [
    { value: 'tools/call', label: w.callTitle },
    { value: 'tools/list', label: w.listTitle },
    { value: 'session', label: w.sessionTitle },
  ]
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => (event.preventDefault(), void submit())}>
      <Field label={w.name} hint={isSession ? w.sessionNameHint : w.nameHint} required>
        {(ids) => <TextField {...ids} autoFocus value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Field label={w.kind}>
        {(ids) => <Select {...ids} value={type} onValueChange={(next) => setType(next as WorkflowType)} options={kinds} />}
      </Field>
      {isSession && <ActivityField value={activity} onChange={setActivity} />}
      <FormFoot onBack={onBack} error={error} busy={busy} disabled={name.trim() === '' || (isSession && activity === '')} />
    </form>
  )
}

function ActivityField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const w = useWords(words)
  const { data: names, error } = useQuery(activitiesQuery)
  if (error) return <Notice tone="bad"><Failure error={error} /></Notice>
  if (names?.length === 0) {
    const action = <Link to="/sessions" search={{ tab: 'activities' } as never} className="font-medium whitespace-nowrap underline underline-offset-2">{w.toActivities}</Link>
    return <Notice tone="info" action={action}>{w.noActivities}</Notice>
  }
  return (
    <Field label={w.firstActivity} hint={w.firstActivityHint} required>
      {(ids) => <Select {...ids} value={value} onValueChange={onChange} options={(names ?? []).map((name) => ({ value: name, label: name }))} />}
    </Field>
  )
}

function TemplateForm({ template, onBack }: { template: Template; onBack: () => void }) {
  const w = useWords(words)
  const [name, setName] = useState(template.name)
  const [texts, setTexts] = useState(() => Object.fromEntries(template.parameters.map((one) => [one.name, startValue(one)])))
  const { create, error, busy } = useCreate()
  const values = template.parameters.map((one) => [one.name, valueOf(one, texts[one.name] ?? '')] as const)
  const ready = template.parameters.every((one) => isReady(one, texts[one.name] ?? ''))
  const submit = () => create(() => createFromTemplate(template.id, name, Object.fromEntries(values.filter(([, value]) => value !== undefined))))
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => (event.preventDefault(), void submit())}>
      <p className="text-muted">{template.description}</p>
      <Field label={w.name} required>
        {(ids) => <TextField {...ids} autoFocus value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      {template.parameters.map((one) => (
        <ParameterField key={one.name} parameter={one} text={texts[one.name] ?? ''} onChange={(text) => setTexts({ ...texts, [one.name]: text })} />
      ))}
      <FormFoot onBack={onBack} error={error} busy={busy} disabled={!ready || name.trim() === ''} />
    </form>
  )
}

function FormFoot({ onBack, error, busy, disabled }: { onBack: () => void; error: unknown; busy: boolean; disabled: boolean }) {
  const w = useWords(words)
  return (
    <>
      {error !== undefined && <Notice tone="bad"><Failure error={error} /></Notice>}
      <div className="flex justify-between gap-2">
        <Button icon="left" onClick={onBack}>{w.back}</Button>
        <Button type="submit" look="primary" busy={busy} disabled={disabled}>{w.create}</Button>
      </div>
    </>
  )
}
