import { useWords } from '../../../../shared/lib/i18n'
import { Badge, Tabs } from '../../../../shared/ui'
import { type Panel, useView } from '../view'
import { words } from '../words'
import { Inspector } from './inspector'
import { ProblemsPanel } from './problems'
import { RunPanel } from './run'

/** Beside the canvas: what is selected, what is wrong, what ran. */
export function SidePanel({ enabled }: { enabled: boolean }) {
  const w = useWords(words)
  const panel = useView((state) => state.panel)
  const set = useView((state) => state.set)
  const errors = useView((state) => state.problems.length)
  return (
    <aside aria-label={w.inspector} className="w-76 shrink-0 overflow-y-auto border-l border-line bg-surface px-4 pt-2 pb-6 2xl:w-96">
      <Tabs
        label={w.inspector}
        value={panel}
        onValueChange={(next) => set({ panel: next as Panel })}
        tabs={[
          { value: 'inspector', label: w.inspector, content: <Inspector /> },
          {
            value: 'problems',
            label: (
              <>
                {w.problems}
                {errors > 0 && <Badge tone="bad">{errors}</Badge>}
              </>
            ),
            content: <ProblemsPanel />,
          },
          { value: 'run', label: w.run, content: <RunPanel enabled={enabled} /> },
        ]}
      />
    </aside>
  )
}
