/** Brings what a file holds into the gateway, entry by entry, and tells what became of each. */
import { api, ApiError, unwrap } from '../../shared/api/client'
import { type Bundle, hookDraft, recognise, withHookIds, withoutMasks } from './bundle'

export type Kind = 'hook' | 'activity' | 'workflow' | 'server'

/** What became of one entry. */
export interface Line {
  kind: Kind
  name: string
  outcome: 'imported' | 'exists' | 'refused'
  /** Why it was refused, or cannot run as it is. */
  error?: unknown
  /** The headers of an activity whose values are not in the file. */
  left?: string[]
}

/** Imports a file; nothing when it is none that can be read. */
export async function bring(text: string): Promise<Line[] | undefined> {
  const content = recognise(text)
  if (content.kind === 'unknown') return undefined
  return content.kind === 'servers' ? bringServers(text) : bringBundle(content.bundle)
}

async function bringServers(text: string): Promise<Line[]> {
  const lines = await unwrap(api.POST('/api/servers/import', { params: { query: {} }, body: { text } }))
  return lines.map(({ name, added, verdict, reason }) => {
    if (added) return { kind: 'server', name, outcome: 'imported' }
    return verdict === 'exists' ? { kind: 'server', name, outcome: 'exists' } : { kind: 'server', name, outcome: 'refused', error: new Error(reason ?? verdict) }
  })
}

async function bringBundle(bundle: Bundle): Promise<Line[]> {
  const here = await readHere()
  const { lines, ids } = await bringHooks(bundle, here)
  return [...lines, ...(await bringDefinitions(entriesOf(bundle, here, ids)))]
}

/** What is here already, read before anything is stored: from then on nothing ends the import. */
async function readHere() {
  const all = [unwrap(api.GET('/api/hooks')), unwrap(api.GET('/api/activities')), unwrap(api.GET('/api/workflows'))] as const
  const [hooks, activities, workflows] = await Promise.all(all)
  return { hooks, activities, workflows }
}

type Here = Awaited<ReturnType<typeof readHere>>

/** Imports hooks in their order, and tells under which ids those of the bundle are here. */
async function bringHooks({ hooks }: Bundle, here: Here): Promise<{ lines: Line[]; ids: Map<string, string> }> {
  const lines: Line[] = []
  const ids = new Map<string, string>()
  for (const hook of hooks) {
    const known = here.hooks.find(({ name }) => name === hook.name)?.id
    const [became, id] = known === undefined ? await bringHook(hook) : [{ outcome: 'exists' } as const, known]
    lines.push({ kind: 'hook', name: hook.name, ...became })
    if (id !== undefined && hook.id !== undefined) ids.set(hook.id, id)
  }
  return { lines, ids }
}

async function bringHook(hook: Bundle['hooks'][number]): Promise<[Pick<Line, 'outcome' | 'error'>, string?]> {
  try {
    return [{ outcome: 'imported' }, (await unwrap(api.POST('/api/hooks', { body: hookDraft(hook) }))).id]
  } catch (error) {
    return [{ outcome: 'refused', error }]
  }
}

/** An activity or a workflow on its way, and what became of it so far. */
interface Entry {
  line: Line
  store: () => Promise<unknown>
}

/**
 * Imports activities and workflows. Each may need another, so what the gateway refuses is tried again for as long as
 * anything else was taken. What failed otherwise may have been stored all the same, and is not stored twice.
 */
async function bringDefinitions(entries: Entry[]): Promise<Line[]> {
  let open = entries.filter(({ line }) => line.outcome !== 'exists')
  for (let before = Infinity; open.length > 0 && open.length < before; ) {
    before = open.length
    for (const entry of open) entry.line = { ...entry.line, ...(await stored(entry)) }
    open = open.filter(({ line: { outcome, error } }) => outcome === 'refused' && error instanceof ApiError && [400, 409].includes(error.status))
  }
  return entries.map(({ line }) => line)
}

function entriesOf({ activities = [], workflows }: Bundle, here: Here, ids: ReadonlyMap<string, string>): Entry[] {
  const outcomeFor = (exists: boolean) => (exists ? 'exists' : 'refused')
  return [
    ...activities.map((one): Entry => {
      const { activity, left } = withoutMasks(one)
      const outcome = outcomeFor(here.activities.some(({ name }) => name === one.name))
      return { line: { kind: 'activity', name: one.name, outcome, left }, store: () => unwrap(api.POST('/api/activities', { body: activity })) }
    }),
    ...workflows.map((one): Entry => {
      const outcome = outcomeFor(here.workflows.some(({ name, workflowType }) => name === one.name && workflowType === one.workflowType))
      const body = { ...withHookIds(one, ids), enabled: false }
      return { line: { kind: 'workflow', name: one.name, outcome }, store: () => unwrap(api.POST('/api/workflows/import', { body })) }
    }),
  ]
}

async function stored({ store }: Entry): Promise<Pick<Line, 'outcome' | 'error'>> {
  try {
    const { valid, reason } = (await store()) as { valid?: boolean; reason?: string | null }
    return { outcome: 'imported', error: valid === false && reason ? new Error(reason) : undefined }
  } catch (error) {
    return { outcome: 'refused', error }
  }
}
