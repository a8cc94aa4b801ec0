import type { components } from '../../shared/api/schema'
import { isRecord, readJson } from '../../shared/lib/values'

type Schemas = components['schemas']
type WorkflowDraft = Schemas['WorkflowDraft']
type HookDraft = Schemas['HookDraft']
type Activity = Schemas['Activity']

/** A hook with the id that it had where it comes from: nodes of graphs name it. Older bundles have none. */
export type BundledHook = HookDraft & { id?: string }

/** What one gateway gives to another: hooks, activities and workflows, as their definitions. */
export interface Bundle {
  format: 'lockgate'
  version: 1
  hooks: BundledHook[]
  /** Older bundles have none. */
  activities?: Activity[]
  workflows: WorkflowDraft[]
}

/** What a file holds: a bundle of ours, or the text of a client's configuration. */
export type Content = { kind: 'bundle'; bundle: Bundle } | { kind: 'servers'; text: string } | { kind: 'unknown' }

/** What the gateway puts in the place of a secret. */
const MASK = '***'

/** The definition of a hook, without id, figures and times. */
export function hookDraft(hook: HookDraft): HookDraft {
  const { name, description, enabled, executionOrder, hookType, onError, script } = hook
  return { name, description, enabled, executionOrder, hookType, onError, script }
}

/** The definition of an activity, without what the gateway adds. */
function definitionOf(activity: Schemas['ActivityView']): Activity {
  const { source: _source, usedBy: _usedBy, revision: _revision, createdAt: _createdAt, updatedAt: _updatedAt, ...definition } = activity
  return definition
}

/** Puts hooks, activities and workflows into one file. What stands in the config file goes with that file. */
export function makeBundle(hooks: readonly (HookDraft & { id: string })[], activities: readonly Schemas['ActivityView'][], workflows: WorkflowDraft[]): Bundle {
  return {
    format: 'lockgate',
    version: 1,
    hooks: hooks.map((hook) => ({ id: hook.id, ...hookDraft(hook) })),
    activities: activities.filter(({ source }) => source !== 'config').map(definitionOf),
    workflows,
  }
}

/** Recognises a file by its content. */
export function recognise(text: string): Content {
  const value = parsed(text)
  if (isRecord(value) && value['format'] === 'lockgate') return isBundle(value) ? { kind: 'bundle', bundle: value as unknown as Bundle } : { kind: 'unknown' }
  // The files of clients may have comments, or be TOML: the gateway reads them.
  const isServers = /^\s*\[mcp_servers/m.test(text) || /"(mcpServers|mcp\.servers|servers)"\s*:/.test(text)
  return isServers ? { kind: 'servers', text } : { kind: 'unknown' }
}

function parsed(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

function isBundle({ hooks, activities = [], workflows }: Record<string, unknown>): boolean {
  return [hooks, activities, workflows].every((list) => Array.isArray(list) && list.every((one) => isRecord(one) && typeof one['name'] === 'string'))
}

/** A workflow whose nodes name hooks by the ids that these have here. */
export function withHookIds(workflow: WorkflowDraft, ids: ReadonlyMap<string, string>): WorkflowDraft {
  // What is no list is refused by the gateway, in its words.
  if (!Array.isArray(workflow.nodes)) return workflow
  return { ...workflow, nodes: workflow.nodes.map((node) => renamed(node, ids)) as NonNullable<WorkflowDraft['nodes']> }
}

function renamed(node: unknown, ids: ReadonlyMap<string, string>): unknown {
  const data = isRecord(node) ? node['data'] : undefined
  const hook = isRecord(data) ? data['hook'] : undefined
  const id = isRecord(hook) ? ids.get(String(hook['hookModuleId'])) : undefined
  if (id === undefined) return node
  return { ...(node as object), data: { ...(data as object), hook: { ...(hook as object), hookModuleId: id } } }
}

/**
 * An activity without headers whose values stayed where they were, and the names of these. It is no tool of its own until
 * somebody has given them.
 */
export function withoutMasks(activity: Activity): { activity: Activity; left: string[] } {
  const run: unknown = activity.run
  const http = isRecord(run) ? run['http'] : undefined
  const given = isRecord(http) ? http['headers'] : undefined
  const all = isRecord(given) ? Object.entries(given) : []
  const left = all.flatMap(([name, value]) => (value === MASK ? [name] : []))
  if (left.length === 0) return { activity, left }
  const headers = Object.fromEntries(all.filter(([name]) => !left.includes(name)))
  const without = { ...(run as object), http: { ...(http as object), headers } } as unknown as Activity['run']
  return { activity: { ...activity, publish: false, run: without }, left }
}
