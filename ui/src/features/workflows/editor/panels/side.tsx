import { classes } from '../../../../shared/lib/classes'
import { useWords } from '../../../../shared/lib/i18n'
import { Badge, IconButton, Tabs } from '../../../../shared/ui'
import { useEditor } from '../store'
import { type Panel, useView } from '../view'
import { words } from '../words'
import { Inspector } from './inspector'
import { ProblemsPanel } from './problems'
import { RunPanel } from './run'

/** Beside the canvas: what is selected, what is wrong, what ran. */
export function SidePanel({ enabled }: { enabled: boolean }) {
  const w = useWords(words)
  const panel = useView((state) => state.panel)
  const folded = useView((state) => state.folded)
  const set = useView((state) => state.set)
  const readOnly = useEditor((state) => state.readOnly)
  const errors = useView((state) => state.problems.length)
  return (
    <aside
      aria-label={w.inspector}
      className={classes(
        'shrink-0 border-line bg-surface px-4 pt-2 max-md:order-2 max-md:border-t md:w-76 md:overflow-y-auto md:border-l md:pb-6 2xl:w-96',
        // Below the canvas it opens when it is asked for, so that the canvas keeps its room.
        folded ? 'max-md:h-12 max-md:overflow-hidden max-md:[&_[role=tabpanel]]:hidden' : 'max-md:h-[46%] max-md:overflow-y-auto max-md:pb-6',
      )}
    >
      <Tabs
        label={w.inspector}
        value={panel}
        onValueChange={(next) => set({ panel: next as Panel, folded: false })}
        actions={<IconButton size="small" icon={folded ? 'up' : 'down'} label={folded ? w.unfold : w.fold} className="md:hidden" onClick={() => set({ folded: !folded })} />}
        tabs={[
          { value: 'inspector', label: w.inspector, content: <fieldset disabled={readOnly} className="contents"><Inspector /></fieldset> },
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
