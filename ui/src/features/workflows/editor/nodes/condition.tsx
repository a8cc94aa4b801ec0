import { useWords } from '../../../../shared/lib/i18n'
import { OnErrorField } from '../fields/on-error'
import { ScriptField } from '../fields/script'
import { useData } from '../fields/use-data'
import type { GraphNode } from '../graph'
import { words } from './words'
import { firstLine, type NodeKind } from './kind'

function ConditionForm({ node }: { node: GraphNode }) {
  const w = useWords(words)
  const { set, text } = useData(node)
  return (
    <>
      <ScriptField
        key={node.id}
        label={w.expression}
        hint={w.expressionHint}
        expression
        value={text('expression')}
        onChange={(expression) => set({ expression }, 'expression')}
      />
      <OnErrorField value={node.data['onError']} onChange={(onError) => set({ onError })} />
    </>
  )
}

export const condition: NodeKind = {
  type: 'condition',
  place: 'graph',
  name: (w) => w.nodeCondition,
  offers: [
    {
      key: 'condition',
      type: 'condition',
      name: (w) => w.nodeCondition,
      text: (w) => w.nodeConditionText,
      data: { expression: "context.toolName === 'echo'" },
    },
  ],
  detail: (node, w) => firstLine(node.data['expression']) || w.noExpression,
  Form: ConditionForm,
}
