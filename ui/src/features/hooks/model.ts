import type { components } from '../../shared/api/schema'
import type { HookView } from '../../shared/api/types'

type Schemas = components['schemas']

export type Hook = HookView
export type Capture = Schemas['Capture']
export type Phase = 'pre' | 'post'

/** What a person edits of a hook. */
export interface Fields {
  name: string
  description: string
  hookType: Hook['hookType']
  onError: Hook['onError']
  script: string
}

/** What a script decided, in the words of the API. */
export interface Verdict {
  continue: boolean
  response?: unknown
  error?: { code?: unknown; message?: string | null }
}

/** What a script made of a sample. */
export interface Trial extends Omit<Schemas['Trial'], 'verdict' | 'phase' | 'before' | 'after'> {
  phase: Phase
  verdict: Verdict | null
  before: Context
  after: Context
}

/** What a script sees. */
export interface Context {
  request?: { method?: string; params?: unknown }
  response?: unknown
  metadata?: Record<string, unknown>
  [key: string]: unknown
}

export function fieldsOf(hook: Hook): Fields {
  const { name, description, hookType, onError, script } = hook
  return { name, description: description ?? '', hookType, onError, script }
}

export function sameFields(a: Fields, b: Fields): boolean {
  return a.name === b.name && a.description === b.description && a.hookType === b.hookType && a.onError === b.onError && a.script === b.script
}

/** The phases that a hook of this kind runs in. */
export function phasesOf(type: Hook['hookType']): Phase[] {
  return type === 'both' ? ['pre', 'post'] : [type]
}

/** What became of a request that a script saw. */
export type Outcome = 'continue' | 'changed' | 'answered' | 'blocked' | 'failed'

export function outcomeOf(trial: Pick<Trial, 'error' | 'verdict' | 'changed' | 'phase'>): Outcome {
  if (trial.error || trial.verdict === null) return 'failed'
  const { continue: goesOn, response, error } = trial.verdict
  const answers = trial.phase === 'pre' && response !== undefined
  if (!goesOn && (!answers || response === null || (error !== undefined && error !== null))) return 'blocked'
  if (answers) return 'answered'
  return trial.changed ? 'changed' : 'continue'
}

/** The error that a script blocks with, whatever it wrote there. */
export function errorOf(verdict: Verdict | null): { code: unknown; message: string | null } | undefined {
  const error: unknown = verdict?.error
  if (error === undefined || error === null) return undefined
  if (typeof error !== 'object') return { code: null, message: String(error) }
  const { code = null, message = null } = error as { code?: unknown; message?: unknown }
  return { code, message: typeof message === 'object' ? null : String(message) }
}
