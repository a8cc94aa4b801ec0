import { useState } from 'react'
import { useWords } from '../../shared/lib/i18n'
import { BackLink, ConfirmDialog, Tabs, useToast } from '../../shared/ui'
import { HookEditor } from './editor/hook-editor'
import { useEditing } from './editor/use-editing'
import type { Hook } from './model'
import { added, expectedOf, useCases } from './trial/cases'
import { CasesPanel } from './trial/cases-panel'
import { EnableDialog } from './trial/enable-dialog'
import { TryPanel } from './trial/try-panel'
import { useTrial } from './trial/use-trial'
import { words } from './words'

interface BenchProps {
  id: string
  hook: Hook | undefined
  /** Called with the id of a hook that was just made, or with nothing when it is gone. */
  onSaved: (id: string | undefined) => void
}

/** One hook: its editor, and beside it the place to try it. */
export function Bench({ id, hook, onSaved }: BenchProps) {
  const w = useWords(words)
  const toast = useToast()
  const editing = useEditing(id, hook, onSaved)
  const trying = useTrial(editing.fields)
  const cases = useCases((state) => state.cases[id]?.length ?? 0)
  const setCases = useCases((state) => state.set)
  const [side, setSide] = useState('try')
  const saveCase = (name: string) => {
    const trial = trying.result
    if (!trial) return
    const one = { id: `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`, name, phase: trial.phase, context: trial.before, expected: expectedOf(trial) }
    setCases((all) => added(all, id, one))
    toast({ tone: 'good', title: w.caseSaved })
  }
  const onTry = () => {
    setSide('try')
    trying.run()
  }
  return (
    <div className="flex min-w-0 flex-1 flex-col overflow-auto xl:flex-row xl:overflow-hidden">
      <div className="flex min-w-0 flex-col p-4 md:p-5 xl:flex-1 xl:overflow-auto">
        <BackLink to="/hooks">{w.allHooks}</BackLink>
        <HookEditor hook={hook} editing={editing} onTry={onTry} />
      </div>
      <div className="min-w-0 border-t border-line p-4 pt-2 md:p-5 md:pt-2 xl:w-[420px] xl:shrink-0 xl:overflow-auto xl:border-t-0 xl:border-l">
        <Tabs
          label={w.sideTabs}
          value={side}
          onValueChange={setSide}
          tabs={[
            { value: 'try', label: w.tryIt, content: <TryPanel trying={trying} onSaveCase={saveCase} /> },
            { value: 'cases', label: w.casesCount(cases), content: <CasesPanel hook={id} script={editing.fields.script} /> },
          ]}
        />
      </div>
      <ConfirmDialog open={editing.asking === 'discard'} onOpenChange={() => editing.ask(undefined)} title={w.discardTitle} description={w.discardText} confirm={w.discard} danger onConfirm={editing.discard} />
      <ConfirmDialog open={editing.asking === 'remove'} onOpenChange={() => editing.ask(undefined)} title={w.removeTitle(editing.fields.name)} description={w.removeText} confirm={w.remove} danger onConfirm={editing.remove} />
      <EnableDialog enabling={editing.enabling} />
    </div>
  )
}
