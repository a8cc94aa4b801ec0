import { useWords } from '../../../../shared/lib/i18n'
import { isAside } from '../../../../shared/lib/graph'
import { Badge, Button, Field, Icon, Select, TextArea, TextField } from '../../../../shared/ui'
import { faceOf } from '../../../../shared/ui/graph/face'
import { useData } from '../fields/use-data'
import { isDeletable } from '../edits'
import { type GraphNode, nodeOf } from '../graph'
import { kindOf } from '../registry'
import type { WorkflowType } from '../rules'
import { useEditor } from '../store'
import { words as nodeWords } from '../nodes/words'
import { words } from '../words'
import { NextField } from './next-field'

/** What is selected, and everything that can be changed about it. */
export function Inspector() {
  const w = useWords(words)
  const count = useEditor((state) => state.nodes.size)
  const id = useEditor((state) => (state.nodes.size === 1 ? [...state.nodes][0] : undefined))
  const node = useEditor((state) => (id === undefined ? undefined : nodeOf(state.doc.graph, id)))
  if (node) return <NodeForm key={node.id} node={node} />
  if (count > 1) return <ManyForm count={count} />
  return (
    <div className="flex flex-col gap-4">
      <p className="text-[13px] text-muted">{w.inspectorEmpty}</p>
      <WorkflowForm />
    </div>
  )
}

function NodeForm({ node }: { node: GraphNode }) {
  const w = useWords(words)
  const n = useWords(nodeWords)
  const types = useEditor((state) => state.types)
  const remove = useEditor((state) => state.remove)
  const duplicate = useEditor((state) => state.duplicate)
  const deletable = useEditor((state) => isDeletable(state.doc.graph, node))
  const { set, text } = useData(node)
  const kind = kindOf(node, types)
  const type = types.find((one) => one.name === node.type)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-2">
        <Icon name={faceOf(node.type, isAside(node)).icon} className="text-accent-text" />
        <h3 className="min-w-0 flex-1 truncate text-[13px] font-semibold">{kind.name(n)}</h3>
        <Badge className="max-w-32 truncate font-mono">{node.id}</Badge>
      </div>
      <Field label={w.label}>
        {(ids) => <TextField {...ids} value={text('label')} onChange={(event) => set({ label: event.target.value }, 'label')} />}
      </Field>
      {kind.Form && <kind.Form node={node} {...(type ? { type } : {})} />}
      <NextField node={node} />
      {deletable && (
        <div className="flex gap-2 border-t border-line pt-4">
          <Button size="small" icon="copy" onClick={duplicate}>{w.duplicate}</Button>
          <Button size="small" look="danger" icon="trash" onClick={remove}>{w.remove}</Button>
        </div>
      )}
    </div>
  )
}

function ManyForm({ count }: { count: number }) {
  const w = useWords(words)
  const remove = useEditor((state) => state.remove)
  const duplicate = useEditor((state) => state.duplicate)
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[13px] font-medium">{w.inspectorMany(count)}</p>
      <div className="flex gap-2">
        <Button size="small" icon="copy" onClick={duplicate}>{w.duplicate}</Button>
        <Button size="small" look="danger" icon="trash" onClick={remove}>{w.remove}</Button>
      </div>
    </div>
  )
}

function WorkflowForm() {
  const w = useWords(words)
  const doc = useEditor((state) => state.doc)
  const edit = useEditor((state) => state.edit)
  const kinds = [
    { value: 'tools/call', label: w.kindCall },
    { value: 'tools/list', label: w.kindList },
    { value: 'session', label: w.kindSession },
  ]
  return (
    <section aria-label={w.workflow} className="flex flex-col gap-4 border-t border-line pt-4">
      <h3 className="text-[13px] font-semibold">{w.workflow}</h3>
      <Field label={w.kind}>
        {(ids) => (
          <Select
            {...ids}
            value={doc.workflowType}
            onValueChange={(type) => edit((now) => ({ ...now, workflowType: type as WorkflowType }))}
            options={kinds}
          />
        )}
      </Field>
      <Field label={w.description}>
        {(ids) => (
          <TextArea
            {...ids}
            placeholder={w.descriptionHint}
            value={doc.description}
            onChange={(event) => edit((now) => ({ ...now, description: event.target.value }), 'description')}
          />
        )}
      </Field>
    </section>
  )
}
