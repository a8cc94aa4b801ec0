import { useWords } from '../../../../shared/lib/i18n'
import { Dialog, Kbd } from '../../../../shared/ui'
import { useView } from '../view'
import { words } from '../words'

/** The editor's keys. */
export function ShortcutSheet() {
  const w = useWords(words)
  const open = useView((state) => state.sheet)
  const set = useView((state) => state.set)
  const rows: [string, string[]][] = [
    [w.shortcutSave, ['Ctrl S']],
    [w.shortcutUndo, ['Ctrl Z', 'Ctrl ⇧ Z']],
    [w.shortcutCopy, ['Ctrl C', 'Ctrl X', 'Ctrl V']],
    [w.shortcutDuplicate, ['Ctrl D']],
    [w.shortcutDelete, ['Del']],
    [w.shortcutSelectAll, ['Ctrl A']],
    [w.shortcutSearch, ['/', 'Ctrl F']],
    [w.shortcutAdd, ['N']],
    [w.shortcutConnect, ['C']],
    [w.shortcutNext, ['[', ']']],
    [w.shortcutMove, ['← ↑ → ↓']],
    [w.shortcutTidy, ['T']],
    [w.shortcutFit, ['F']],
    [w.shortcutRun, ['R']],
    [w.shortcutHelp, ['?']],
  ]
  return (
    <Dialog open={open} onOpenChange={(sheet) => set({ sheet })} title={w.shortcuts} size="small">
      <dl className="divide-y divide-line">
        {rows.map(([meaning, keys]) => (
          <div key={meaning} className="flex items-center justify-between gap-4 py-1.5">
            <dt className="text-[13px]">{meaning}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
