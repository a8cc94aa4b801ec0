import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { hooksQuery } from '../../../../shared/api/queries'
import { recordOf, textOf } from '../../../../shared/lib/values'
import { Field, Icon, Select, Switch } from '../../../../shared/ui'
import { useWords } from '../../../../shared/lib/i18n'
import { turnHook } from '../edits'
import { OnErrorField } from '../fields/on-error'
import { ScriptField } from '../fields/script'
import { useData } from '../fields/use-data'
import { type GraphNode, merged } from '../graph'
import { useEditor } from '../store'
import { words } from './words'
import { firstLine, type NodeKind } from './kind'

/** What a node says of its hook. A file or a clipboard may have put anything there. */
function hookOf(node: GraphNode) {
  const hook = recordOf(node.data['hook'])
  const { script, hookModuleId, blocking, onError } = hook
  return { hook, script: textOf(script), module: textOf(hookModuleId), isModule: (hookModuleId ?? undefined) !== undefined, blocking: blocking !== false, onError }
}

const NEW_SCRIPT = 'return { continue: true }\n'

function HookForm({ node }: { node: GraphNode }) {
  const w = useWords(words)
  const { hook, script, module, isModule, blocking, onError } = hookOf(node)
  const { set } = useData(node)
  const editGraph = useEditor((state) => state.editGraph)
  const change = (part: Readonly<Record<string, unknown>>, field?: string) => set({ hook: merged(hook, part) }, field)
  const choose = (next: string) => {
    if (next === 'own') change({ hookModuleId: undefined, script: script || NEW_SCRIPT })
    else change({ hookModuleId: '', script: undefined })
  }
  const turn = (on: boolean) => editGraph((graph, kinds, type) => turnHook(graph, kinds, type, node.id, on))
  return (
    <>
      <div>
        <Switch checked={blocking} onCheckedChange={turn} label={w.blocking} showLabel />
        <p className="mt-1 text-xs text-faint">{w.blockingHint}</p>
      </div>
      {blocking && <OnErrorField value={onError} onChange={(next) => change({ onError: next })} />}
      <Field label={w.scriptSource}>
        {(ids) => (
          <Select
            {...ids}
            value={isModule ? 'module' : 'own'}
            onValueChange={choose}
            options={[{ value: 'own', label: w.scriptOwn }, { value: 'module', label: w.scriptModule }]}
          />
        )}
      </Field>
      {isModule ? (
        <ModuleField value={module} onChange={(hookModuleId) => change({ hookModuleId })} />
      ) : (
        <ScriptField key={node.id} label={w.script} value={script} onChange={(next) => change({ script: next }, 'script')} />
      )}
    </>
  )
}

function ModuleField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const w = useWords(words)
  const { data: hooks } = useQuery(hooksQuery)
  const options = (hooks ?? []).map((hook) => ({ value: hook.id, label: hook.name }))
  if (value && hooks && !options.some((option) => option.value === value)) options.push({ value, label: w.moduleGone(value) })
  return (
    <Field label={w.module}>
      {(ids) => (
        <>
          <Select {...ids} value={value} onValueChange={onChange} options={options} placeholder={w.moduleNone} />
          {value && (
            <Link to="/hooks" search={{ id: value } as never} className="inline-flex items-center gap-1.5 self-start rounded text-[13px] text-accent-text hover:underline">
              {w.moduleOpen} <Icon name="arrow" size={14} />
            </Link>
          )}
        </>
      )}
    </Field>
  )
}

export const hook: NodeKind = {
  type: 'hook',
  place: 'graph',
  name: (w) => w.nodeHook,
  offers: [
    {
      key: 'hook',
      type: 'hook',
      name: (w) => w.nodeHook,
      text: (w) => w.nodeHookText,
      data: { hook: { script: NEW_SCRIPT, blocking: true, onError: 'stop' } },
    },
    {
      key: 'aside',
      type: 'hook',
      name: (w) => w.nodeAside,
      text: (w) => w.nodeAsideText,
      data: { hook: { script: "console.log(context.toolName)\n", blocking: false } },
    },
  ],
  detail: (node, w, name) => {
    const { script, module } = hookOf(node)
    if (module) return `${w.module}: ${name ?? module.slice(0, 8)}`
    return firstLine(script) || w.noScript
  },
  code: true,
  Form: HookForm,
}
