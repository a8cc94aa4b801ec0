/** What was not saved yet, kept in the browser and offered again after a reload. */
import { mine, readStored, storedKeys, writeStored } from '../../../shared/lib/stored'
import { tabName } from '../../../shared/lib/tab'
import { keptJson, readJson, withDrafts, writeJson } from '../../../shared/lib/values'
import { readGraph } from './graph'
import type { WorkflowType } from './rules'
import type { Doc } from './store'

export interface Draft {
  readonly doc: Doc
  /** The revision that it began with. */
  readonly revision: number
  readonly at: number
  /** Where it is kept. */
  readonly key: string
}

// Each tab keeps its own: what one saves or drops is not the work of another.
const all = (id: string) => mine(`draft.${id}.`)
const own = (id: string) => all(id) + tabName()
// Where all tabs together kept one, before.
const former = (id: string) => mine(`draft.${id}`)

export function keepDraft(id: string, doc: Doc, revision: number): void {
  writeStored(own(id), keptJson({ doc, revision, at: Date.now() } satisfies Omit<Draft, 'key'>))
}

/** Drops the draft of this tab. */
export function dropDraft(id: string): void {
  writeStored(own(id), null)
}

/** Drops a draft that was offered, whichever tab left it. A tab that is still open keeps what it has when it goes. */
export function dropOffered({ key }: Draft): void {
  writeStored(key, null)
}

/** What to offer in the place of what is saved: the draft of this tab, else the newest that another left. */
export function findDraft(id: string, saved: Doc): Draft | undefined {
  const kept = [...storedKeys(all(id)), former(id)].flatMap((key) => readDraft(key) ?? [])
  const drafts = kept.filter(({ doc }) => !isSame(doc, saved))
  return drafts.find(({ key }) => key === own(id)) ?? drafts.sort((one, other) => other.at - one.at)[0]
}

/** A draft; nothing when there is none that can be read. */
function readDraft(key: string): Draft | undefined {
  try {
    const { doc, revision, at } = withDrafts(readJson(readStored(key) ?? '')) as Draft
    const workflowType: WorkflowType = doc.workflowType
    const graph = readGraph(doc.graph.nodes, doc.graph.edges)
    return { doc: { name: doc.name, description: doc.description, workflowType, graph }, revision, at, key }
  } catch {
    return undefined
  }
}

/** Whether two documents say the same. */
export function isSame(one: Doc, other: Doc): boolean {
  return writeJson(one) === writeJson(other)
}
