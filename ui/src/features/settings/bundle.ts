import type { components } from '../../shared/api/schema'
import { readJson } from '../../shared/lib/values'

type HookDraft = components['schemas']['HookDraft']
type WorkflowDraft = components['schemas']['WorkflowDraft']

/** What one gateway gives to another: hooks and workflows, as their definitions. */
export interface Bundle {
  format: 'lockgate'
  version: 1
  hooks: HookDraft[]
  workflows: WorkflowDraft[]
}

/** What a file holds: a bundle of ours, or the text of a client's configuration. */
export type Content = { kind: 'bundle'; bundle: Bundle } | { kind: 'servers'; text: string } | { kind: 'unknown' }

/** The definition of a hook, without figures and times. */
export function hookDraft(hook: HookDraft): HookDraft {
  const { name, description, enabled, executionOrder, hookType, onError, script } = hook
  return { name, description, enabled, executionOrder, hookType, onError, script }
}

/** Puts hooks and workflows into one file. */
export function makeBundle(hooks: HookDraft[], workflows: WorkflowDraft[]): Bundle {
  return { format: 'lockgate', version: 1, hooks: hooks.map(hookDraft), workflows }
}

/** Recognises a file by its content. */
export function recognise(text: string): Content {
  if (/^\s*\[mcp_servers/m.test(text)) return { kind: 'servers', text }
  if (/"(mcpServers|mcp\.servers|servers)"\s*:/.test(text)) return { kind: 'servers', text }
  try {
    const value = readJson(text) as Partial<Bundle> | null
    if (value?.format !== 'lockgate' || !Array.isArray(value.hooks) || !Array.isArray(value.workflows)) return { kind: 'unknown' }
    return { kind: 'bundle', bundle: value as Bundle }
  } catch {
    return { kind: 'unknown' }
  }
}

/** Hooks whose names are not taken yet. */
export function freshHooks(hooks: readonly HookDraft[], taken: readonly string[]): HookDraft[] {
  return hooks.filter(({ name }) => !taken.includes(name)).map(hookDraft)
}
