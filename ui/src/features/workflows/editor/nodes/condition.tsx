import { useWords } from '../../../../shared/lib/i18n'
import { OnErrorField } from '../fields/on-error'
import { ScriptField } from '../fields/script'
import { useData } from '../fields/use-data'
import type { GraphNode } from '../graph'
import { useEditor } from '../store'
import { words } from './words'
import { firstLine, type NodeKind, type Offer } from './kind'

function ConditionForm({ node }: { node: GraphNode }) {
  const w = useWords(words)
  const { set, text } = useData(node)
  const isSession = useEditor((state) => state.doc.workflowType === 'session')
  return (
    <>
      <ScriptField
        key={node.id}
        label={w.expression}
        hint={isSession ? w.expressionOfSession : w.expressionHint}
        expression
        value={text('expression')}
        onChange={(expression) => set({ expression }, 'expression')}
      />
      <OnErrorField value={node.data['onError']} onChange={(onError) => set({ onError })} />
    </>
  )
}

const offer = (place: 'graph' | 'session', expression: string): Offer => ({
  key: 'condition',
  type: 'condition',
  place,
  name: (w) => w.nodeCondition,
  text: (w) => w.nodeConditionText,
  data: { expression },
})

export const condition: NodeKind = {
  type: 'condition',
  place: 'both',
  name: (w) => w.nodeCondition,
  offers: [offer('graph', "context.toolName === 'echo'"), offer('session', 'memory.score > 10')],
  detail: (node, w) => firstLine(node.data['expression']) || w.noExpression,
  code: true,
  Form: ConditionForm,
}
