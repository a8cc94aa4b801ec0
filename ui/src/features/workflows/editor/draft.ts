/** What was not saved yet, kept in the browser and offered again after a reload. */
import { readStored, writeStored } from '../../../shared/lib/stored'
import { readJson, writeJson } from '../../../shared/lib/values'
import { readGraph } from './graph'
import type { WorkflowType } from './rules'
import type { Doc } from './store'

export interface Draft {
  readonly doc: Doc
  /** The revision that it began with. */
  readonly revision: number
  readonly at: number
}

const key = (id: string) => `draft.${id}`

export function keepDraft(id: string, doc: Doc, revision: number): void {
  writeStored(key(id), writeJson({ doc, revision, at: Date.now() } satisfies Draft))
}

export function dropDraft(id: string): void {
  writeStored(key(id), null)
}

/** The draft of a workflow; nothing when there is none, or none that can be read. */
export function readDraft(id: string): Draft | undefined {
  const text = readStored(key(id))
  if (!text) return undefined
  try {
    const { doc, revision, at } = readJson(text) as Draft
    const workflowType: WorkflowType = doc.workflowType
    const graph = readGraph(doc.graph.nodes, doc.graph.edges)
    return { doc: { name: doc.name, description: doc.description, workflowType, graph }, revision, at }
  } catch {
    return undefined
  }
}

/** Whether two documents say the same. */
export function isSame(one: Doc, other: Doc): boolean {
  return writeJson(one) === writeJson(other)
}
