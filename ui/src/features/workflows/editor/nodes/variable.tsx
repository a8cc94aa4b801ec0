import { useWords } from '../../../../shared/lib/i18n'
import { Draft } from '../../../../shared/lib/json'
import { recordOf, textOf } from '../../../../shared/lib/values'
import { Button, Field, IconButton, Select, TextField } from '../../../../shared/ui'
import { JsonField } from '../fields/json'
import { OnErrorField } from '../fields/on-error'
import { useData } from '../fields/use-data'
import { type GraphNode, merged } from '../graph'
import { words } from './words'
import type { NodeKind } from './kind'

type Entry = Readonly<Record<string, unknown>>

/** The values that a node sets. What is none shows as an empty one, which can be filled in or removed. */
const entriesOf = (node: GraphNode): Entry[] => (Array.isArray(node.data['set']) ? node.data['set'].map(recordOf) : [])

function VariableForm({ node }: { node: GraphNode }) {
  const w = useWords(words)
  const { set, text } = useData(node)
  const entries = entriesOf(node)
  const replace = (at: number, entry: Entry, field?: string) =>
    set({ set: entries.map((other, index) => (index === at ? entry : other)) }, field)
  const add = () => set({ set: [...entries, { name: freeName(entries), value: null }] })
  return (
    <>
      <Field label={w.scope}>
        {(ids) => (
          <Select
            {...ids}
            value={text('scope') || 'run'}
            onValueChange={(scope) => set({ scope })}
            options={[{ value: 'run', label: w.scopeRun }, { value: 'workflow', label: w.scopeWorkflow }]}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-[13px] font-medium">{w.values}</legend>
        {entries.map((entry, at) => (
          <EntryRow
            key={at}
            entry={entry}
            onChange={(next, field) => replace(at, next, field && `${field} ${at}`)}
            onRemove={() => set({ set: entries.filter((_, index) => index !== at) })}
          />
        ))}
        <p className="text-xs text-faint">{w.valueHint}</p>
        <Button size="small" icon="plus" className="self-start" onClick={add}>
          {w.valueAdd}
        </Button>
      </fieldset>
      <OnErrorField value={node.data['onError']} onChange={(onError) => set({ onError })} />
    </>
  )
}

function freeName(entries: readonly Entry[]): string {
  const names = new Set(entries.map((entry) => entry['name']))
  let number = 1
  while (names.has(`value${number}`)) number += 1
  return `value${number}`
}

interface EntryRowProps {
  entry: Entry
  onChange: (entry: Entry, field?: string) => void
  onRemove: () => void
}

function EntryRow({ entry, onChange, onRemove }: EntryRowProps) {
  const w = useWords(words)
  const name = textOf(entry['name'])
  const isExpression = entry['expression'] !== undefined
  const turn = (kind: string) =>
    onChange(merged(entry, kind === 'expression' ? { value: undefined, expression: 'current' } : { expression: undefined, value: null }))
  return (
    <div className="flex flex-col gap-1.5 rounded-md border border-line bg-sunken p-2">
      <div className="flex items-center gap-1.5">
        <TextField
          aria-label={w.valueName}
          className="font-mono text-xs"
          value={name}
          onChange={(event) => onChange({ ...entry, name: event.target.value }, 'name')}
        />
        <Select
          aria-label={w.valueKind(name)}
          className="w-32! shrink-0"
          value={isExpression ? 'expression' : 'constant'}
          onValueChange={turn}
          options={[{ value: 'constant', label: w.valueConstant }, { value: 'expression', label: w.valueExpression }]}
        />
        <IconButton icon="cross" size="small" label={w.valueRemove(name)} onClick={onRemove} />
      </div>
      {isExpression ? (
        <TextField
          aria-label={w.valueText(name)}
          className="font-mono text-xs"
          value={textOf(entry['expression'])}
          onChange={(event) => onChange({ ...entry, expression: event.target.value }, 'expression')}
        />
      ) : (
        <JsonField
          label={w.valueText(name)}
          hideLabel
          rows={1}
          value={entry['value']}
          // A constant has a value, so that an empty field is one that is still to be filled in.
          onChange={(value) => onChange({ ...entry, value: value === undefined ? new Draft('') : value }, 'value')}
        />
      )}
    </div>
  )
}

export const variable: NodeKind = {
  type: 'variable',
  place: 'graph',
  name: (w) => w.nodeVariable,
  offers: [
    {
      key: 'variable',
      type: 'variable',
      name: (w) => w.nodeVariable,
      text: (w) => w.nodeVariableText,
      data: { scope: 'run', set: [{ name: 'value1', value: 1 }] },
    },
  ],
  detail: (node, w) => entriesOf(node).map((entry) => textOf(entry['name']) || '?').join(', ') || w.setsNothing,
  code: true,
  Form: VariableForm,
}
