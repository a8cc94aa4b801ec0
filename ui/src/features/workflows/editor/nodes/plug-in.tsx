import { isNumber } from '../../../../shared/lib/values'
import { SchemaForm } from '../fields/schema'
import { OnErrorField } from '../fields/on-error'
import { useData } from '../fields/use-data'
import type { GraphNode } from '../graph'
import type { NodeType } from '../rules'
import type { NodeKind } from './kind'

function PlugInForm({ node, type }: { node: GraphNode; type?: NodeType }) {
  const { set } = useData(node)
  return (
    <>
      {type && <p className="text-[13px] text-muted">{type.description}</p>}
      <SchemaForm schema={type?.schema ?? {}} data={node.data} onChange={set} />
      <OnErrorField value={node.data['onError']} onChange={(onError) => set({ onError })} />
    </>
  )
}

/** The kind of nodes that a plug-in adds; a type that no plug-in has any more keeps its data. */
export function plugIn(type: NodeType): NodeKind {
  return {
    type: type.name,
    place: 'graph',
    name: () => type.label,
    offers: [{ key: type.name, type: type.name, name: () => type.label, text: () => type.description, data: defaultsOf(type.schema) }],
    detail: (node) => summary(node) || type.name,
    Form: PlugInForm,
  }
}

function defaultsOf(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, { default?: unknown }>)
  return Object.fromEntries(properties.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])))
}

function summary({ data }: GraphNode): string {
  const plain = Object.entries(data).filter(([key, value]) => key !== 'label' && key !== 'onError' && (typeof value !== 'object' || isNumber(value)))
  return plain.map(([key, value]) => `${key}: ${String(value)}`).join(', ')
}
