/** An activity while it is edited: every field as the text that stands in its form. */
import { readJson, sendable, writeJson } from '../../../shared/lib/values'
import type { ActivityView } from './api'

export const KINDS = ['script', 'tool', 'http', 'workflow'] as const
export type Kind = (typeof KINDS)[number]

/** What the gateway puts in the place of a secret. */
const MASK = '***'

export interface Draft {
  name: string
  description: string
  kind: Kind
  script: string
  server: string
  tool: string
  method: string
  url: string
  headers: string
  body: string
  workflow: string
  inputSchema: string
  outputSchema: string
  timeout: string
  maxAttempts: string
  backoffMs: string
  hooksPerAttempt: boolean
  publish: boolean
  onSuccess: string
  onFailure: string
  onComplete: string
  onUnknown: string
}

/** A new activity. */
export const NEW: Draft = {
  name: '', description: '', kind: 'script', script: 'return { data: { received: context.input } }', server: '', tool: '', method: 'GET', url: '', headers: '', body: '',
  workflow: '', inputSchema: '', outputSchema: '', timeout: '', maxAttempts: '', backoffMs: '', hooksPerAttempt: false, publish: false, onSuccess: '',
  onFailure: '', onComplete: '', onUnknown: '',
}

const pretty = (value: unknown): string => (value === undefined || value === null ? '' : writeJson(value, 2))
const figure = (value: number | null | undefined): string => (value === undefined || value === null ? '' : String(value))

/** The kind of an activity. */
export function kindOf({ run }: Pick<ActivityView, 'run'>): Kind {
  return KINDS.find((kind) => kind in run) ?? 'script'
}

/** The draft of an activity that is there. */
export function draftOf(activity: ActivityView): Draft {
  const run = activity.run as { script?: string; tool?: { server: string; name: string }; http?: { method?: string; url: string; headers?: object; body?: unknown }; workflow?: { name: string } }
  return {
    ...NEW,
    name: activity.name,
    description: activity.description ?? '',
    kind: kindOf(activity),
    script: run.script ?? '',
    server: run.tool?.server ?? '',
    tool: run.tool?.name ?? '',
    method: run.http?.method ?? 'GET',
    url: run.http?.url ?? '',
    headers: pretty(run.http?.headers),
    body: pretty(run.http?.body),
    workflow: run.workflow?.name ?? '',
    inputSchema: pretty(activity.inputSchema),
    outputSchema: pretty(activity.outputSchema),
    timeout: figure(activity.timeout),
    maxAttempts: figure(activity.retry?.maxAttempts),
    backoffMs: figure(activity.retry?.backoffMs),
    hooksPerAttempt: activity.retry?.hooksPerAttempt ?? false,
    publish: activity.publish ?? false,
    onSuccess: activity.onSuccess ?? '',
    onFailure: activity.onFailure ?? '',
    onComplete: activity.onComplete ?? '',
    onUnknown: activity.onUnknown ?? '',
  }
}

const value = (text: string): unknown => (text.trim() === '' ? undefined : readJson(text))
const script = (text: string): string | undefined => (text.trim() === '' ? undefined : text)
const count = (text: string): number | undefined => (text.trim() === '' ? undefined : sendable(Number(text)))

/** What the API takes. Throws a `SyntaxError` where a text is no JSON. */
export function bodyOf(draft: Draft): Record<string, unknown> {
  const attempts = count(draft.maxAttempts)
  const retry = attempts === undefined ? undefined : { maxAttempts: attempts, backoffMs: count(draft.backoffMs) ?? 0, hooksPerAttempt: draft.hooksPerAttempt }
  const whole = {
    name: draft.name.trim(),
    description: draft.description.trim() || undefined,
    inputSchema: value(draft.inputSchema),
    outputSchema: value(draft.outputSchema),
    timeout: count(draft.timeout),
    retry,
    publish: draft.publish || undefined,
    run: runOf(draft),
    onSuccess: script(draft.onSuccess),
    onFailure: script(draft.onFailure),
    onComplete: script(draft.onComplete),
    onUnknown: draft.onUnknown || undefined,
  }
  return Object.fromEntries(Object.entries(whole).filter(([, part]) => part !== undefined))
}

function runOf({ kind, ...draft }: Draft): object {
  if (kind === 'script') return { script: draft.script }
  if (kind === 'tool') return { tool: { server: draft.server, name: draft.tool } }
  if (kind === 'workflow') return { workflow: { name: draft.workflow } }
  const [headers, body] = [value(draft.headers), value(draft.body)]
  return { http: { method: draft.method, url: draft.url.trim(), ...(headers !== undefined && { headers }), ...(body !== undefined && { body }) } }
}

/** What has to be sent to make `before` into `after`: the fields that differ, and null for those that went. */
export function patchOf(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const patch: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (writeJson(before[key]) !== writeJson(after[key])) patch[key] = after[key] ?? null
  }
  return patch
}

/** Whether what is sent has a masked header, which would take the place of the secret. */
export function hasMask(patch: Readonly<Record<string, unknown>>): boolean {
  const headers = (patch['run'] as { http?: { headers?: object } } | undefined)?.http?.headers ?? {}
  return Object.values(headers).includes(MASK)
}
