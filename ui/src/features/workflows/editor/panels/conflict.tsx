import { useWords } from '../../../../shared/lib/i18n'
import { writeJson } from '../../../../shared/lib/values'
import { Badge, Button, Dialog } from '../../../../shared/ui'
import type { Graph } from '../graph'
import type { Saving } from '../saving'
import { docOf, useEditor } from '../store'
import { words } from '../words'

/** How many nodes two graphs have on their own, and how many differ. */
function differenceOf(mine: Graph, theirs: Graph): { mine: number; theirs: number; changed: number } {
  const [own, other] = [mine, theirs].map((graph) => new Map(graph.nodes.map((node) => [node.id, writeJson(node)])))
  const only = (one: Map<string, string> | undefined, two: Map<string, string> | undefined) =>
    [...(one?.keys() ?? [])].filter((id) => !two?.has(id)).length
  const changed = [...(own ?? [])].filter(([id, text]) => other?.has(id) && other.get(id) !== text).length
  return { mine: only(own, other), theirs: only(other, own), changed }
}

/** Two people saved the same workflow: the second one decides what becomes of both versions. */
export function ConflictDialog({ saving }: { saving: Saving }) {
  const w = useWords(words)
  const { theirs } = saving
  const revision = useEditor((state) => state.revision)
  const graph = useEditor((state) => state.doc.graph)
  if (!theirs) return null
  const difference = differenceOf(graph, docOf(theirs).graph)
  const ways = [
    { label: w.conflictTheirs, text: w.conflictTheirsText, act: saving.takeTheirs },
    { label: w.conflictMine, text: w.conflictMineText, act: () => void saving.keepMine() },
    { label: w.conflictCopy, text: w.conflictCopyText, act: () => void saving.saveCopy() },
  ]
  return (
    <Dialog open onOpenChange={saving.giveUp} title={w.conflictTitle} description={w.conflictText(revision, theirs.revision)}>
      <div className="mb-4 flex flex-wrap items-center gap-2 text-[13px]">
        <span className="text-muted">{w.conflictNodes}</span>
        <Badge tone="good">{w.conflictAdded(difference.mine)}</Badge>
        <Badge tone="info">{w.conflictRemoved(difference.theirs)}</Badge>
        <Badge tone="warn">{w.conflictChanged(difference.changed)}</Badge>
      </div>
      <ul className="flex flex-col gap-2">
        {ways.map(({ label, text, act }) => (
          <li key={label} className="flex items-center gap-3 rounded-lg border border-line p-3">
            <p className="min-w-0 flex-1 text-[13px] text-muted">{text}</p>
            <Button needs="editor" busy={saving.busy} onClick={act}>{label}</Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
