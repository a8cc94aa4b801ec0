import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { RadioGroup } from 'radix-ui'
import { useState, type ReactNode } from 'react'
import type { WorkflowView } from '../../../shared/api/types'
import { useMay } from '../../../shared/lib/access'
import { apart } from '../../../shared/lib/apart'
import { classes } from '../../../shared/lib/classes'
import { isolated } from '../../../shared/lib/format'
import { readGraph } from '../../../shared/lib/graph'
import { type Language, useLanguage, useWords } from '../../../shared/lib/i18n'
import { ALL, Badge, Card, ConfirmDialog, IconButton, Menu, Switch, Time, useToast } from '../../../shared/ui'
import { deleteWorkflow, isFixed, saveTemplate, switchWorkflow } from '../api'
import { findProblems } from '../editor/problems'
import { problemSaying } from '../editor/reasons'
import { kindsOf, type WorkflowType } from '../editor/rules'
import { words } from '../words'
import { useExport } from './transfer'

interface GroupProps {
  type: WorkflowType
  title: string
  text: string
  workflows: readonly WorkflowView[]
}

/** The workflows of one type with the choice of the active one; session workflows are switched one by one. */
export function Group({ type, title, text, workflows }: GroupProps) {
  const w = useWords(words)
  const turn = useTurn()
  const mayEdit = useMay('editor')
  const active = workflows.find((workflow) => workflow.enabled)
  const names = apart(workflows, ({ name }) => name, ({ id }) => id)
  const choose = (id: string) => {
    if (id === ALL && active) turn.mutate({ workflow: active, on: false })
    const chosen = workflows.find((workflow) => workflow.id === id)
    if (chosen) turn.mutate({ workflow: chosen, on: true })
  }
  const heading = (
    <>
      {title} <span className="ml-1 font-normal text-faint">{text}</span>
    </>
  )
  if (type === 'session') {
    return (
      <Card title={heading} flush>
        <ul className="divide-y divide-line">
          {workflows.map((workflow, at) => (
            <Row key={workflow.id} workflow={workflow} name={names[at] ?? ''}>
              <Switch
                needs="editor"
                checked={workflow.enabled}
                disabled={!workflow.enabled && !workflow.valid}
                onCheckedChange={(on) => turn.mutate({ workflow, on })}
                label={w.switchOn(names[at] ?? '')}
              />
            </Row>
          ))}
        </ul>
      </Card>
    )
  }
  return (
    <Card title={heading} flush>
      <RadioGroup.Root aria-label={title} value={active?.id ?? ALL} onValueChange={choose}>
        <ul className="divide-y divide-line">
          {workflows.map((workflow, at) => (
            <Row key={workflow.id} workflow={workflow} name={names[at] ?? ''}>
              <Radio value={workflow.id} label={w.choose(names[at] ?? '')} disabled={!mayEdit || (!workflow.enabled && !workflow.valid)} />
            </Row>
          ))}
          <li className="flex items-center gap-4 px-4 py-3">
            <Radio value={ALL} label={w.none} disabled={!mayEdit} />
            <span className="font-medium">{w.none}</span>
            <span className="text-[13px] text-faint">{w.noneText}</span>
          </li>
        </ul>
      </RadioGroup.Root>
    </Card>
  )
}

function useTurn() {
  const w = useWords(words)
  const toast = useToast()
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ workflow, on }: { workflow: WorkflowView; on: boolean }) => switchWorkflow(workflow.id, on),
    onSuccess: (view, { on }) => toast({ tone: 'good', title: on ? w.switched(view.name) : w.switchedOff }),
    onError: (error) => toast({ tone: 'bad', error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['workflows'] }),
  })
}

function Radio({ value, label, disabled }: { value: string; label: string; disabled?: boolean }) {
  return (
    <RadioGroup.Item
      value={value}
      aria-label={label}
      disabled={disabled}
      className="grid size-[18px] shrink-0 place-items-center rounded-full border border-control bg-surface disabled:opacity-40 data-[state=checked]:border-accent"
    >
      <RadioGroup.Indicator className="size-2.5 rounded-full bg-accent" />
    </RadioGroup.Item>
  )
}

/** Why a workflow cannot be active: in the gateway's words, or in ours where the reader has another language. */
function reasonOf(workflow: WorkflowView, language: Language): string {
  const graph = readGraph(workflow.nodes, workflow.edges)
  const [first] = language === 'en' ? [] : findProblems(graph, kindsOf([]), workflow.workflowType)
  const isSame = first && first.sentence !== 'unknown-type'
  const names = graph.nodes.flatMap(({ id, data }) => [id, String(data['label'] ?? '')])
  return isolated(isSame ? problemSaying(language, first).text : (workflow.reason ?? ''), names)
}

interface RowProps {
  workflow: WorkflowView
  /** What it is called in this list. */
  name: string
  children: ReactNode
}

function Row({ workflow, name, children }: RowProps) {
  const w = useWords(words)
  const { language } = useLanguage()
  return (
    <li className="flex items-center gap-4 px-4 py-3 transition-colors hover:bg-hover">
      {children}
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <Link
            to="/workflows/$id"
            params={{ id: workflow.id }}
            className={classes('truncate font-medium hover:underline', !workflow.valid && 'text-muted')}
          >
            {name}
          </Link>
          {workflow.enabled && <Badge tone={workflow.problem ? 'bad' : 'good'}>{workflow.problem ? w.broken : w.active}</Badge>}
        </div>
        {workflow.problem && <p className="text-[13px] text-bad-text [overflow-wrap:anywhere]">{workflow.problem}</p>}
        {!workflow.problem && (workflow.valid
          ? workflow.description && <p className="truncate text-[13px] text-muted">{workflow.description}</p>
          : <p className="text-[13px] text-warn-text [overflow-wrap:anywhere]">{w.cannot(reasonOf(workflow, language))}</p>)}
      </div>
      <span className="hidden text-[13px] whitespace-nowrap text-faint md:inline">{w.nodes(workflow.nodes.length)}</span>
      <span className="hidden text-[13px] whitespace-nowrap text-faint lg:inline">
        {isFixed(workflow) ? w.fromConfig : <>{w.changed} <Time at={workflow.updatedAt} /></>}
      </span>
      <RowMenu workflow={workflow} name={name} />
    </li>
  )
}

function RowMenu({ workflow, name }: Omit<RowProps, 'children'>) {
  const w = useWords(words)
  const toast = useToast()
  const client = useQueryClient()
  const navigate = useNavigate()
  const save = useExport()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteWorkflow(workflow.id),
    onSuccess: () => toast({ tone: 'good', title: w.removed(name) }),
    onError: (error) => toast({ tone: 'bad', error }),
    onSettled: () => {
      setAsking(false)
      return client.invalidateQueries({ queryKey: ['workflows'] })
    },
  })
  const template = useMutation({
    mutationFn: () => saveTemplate(workflow.id),
    onSuccess: ({ name }) => toast({ tone: 'good', title: w.templateSaved(name) }),
    onError: (error) => toast({ tone: 'bad', error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['workflows', 'templates'] }),
  })
  return (
    <>
      <Menu
        items={[
          { label: w.edit, icon: 'pencil', onSelect: () => void navigate({ to: '/workflows/$id', params: { id: workflow.id } }) },
          { label: w.runs, icon: 'run', onSelect: () => void navigate({ to: '/runs', search: { workflow: workflow.id } as never }) },
          { label: w.exportFile, icon: 'download', onSelect: () => void save(workflow) },
          { label: w.templateSave, icon: 'copy', needs: 'editor', onSelect: () => template.mutate() },
          { kind: 'separator' },
          { label: w.remove, icon: 'trash', danger: true, needs: 'editor', onSelect: () => setAsking(true) },
        ]}
      >
        <IconButton icon="more" size="small" label={w.more(name)} />
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={w.removeTitle(name)}
        description={w.removeText}
        confirm={w.remove}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}
