import { queryOptions } from '@tanstack/react-query'
import { api, ApiError, send, unwrap } from '../../shared/api/client'
import { parseMetrics } from '../../shared/lib/metrics'
import { readTypes } from './editor/types'
import type { Context, Fields, Hook, Phase, Trial } from './model'

/** The calls that passed lately, the newest first. No event tells of them, so they are read now and then. */
export const capturesQuery = queryOptions({
  queryKey: ['captures'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/captures', { signal })),
  refetchInterval: 5000,
})

/** What a script can use. */
export const typesQuery = queryOptions({
  queryKey: ['hooks', 'types'],
  queryFn: async ({ signal }) => readTypes(await unwrap(api.GET('/api/hooks/types.d.ts', { signal, parseAs: 'text' }))),
  staleTime: Infinity,
  structuralSharing: false,
})

/** The counters of the gateway. */
export const metricsQuery = queryOptions({
  queryKey: ['hooks', 'metrics'],
  queryFn: async ({ signal }) => parseMetrics(await (await send('metrics', { signal })).text()),
  refetchInterval: 5000,
})

/** What the config file says about hooks. */
export const settingsQuery = queryOptions({
  queryKey: ['config', 'hooks'],
  queryFn: async ({ signal }) => {
    const { values } = await unwrap(api.GET('/api/config', { signal }))
    const value = (key: string): unknown => values.find((one) => one.key === key)?.value
    return { listOff: value('hooks.list.enabled') === false, capturesOff: value('captures.keep') === 0 }
  },
  retry: false,
})

function body(fields: Fields) {
  return { ...fields, description: fields.description.trim() === '' ? null : fields.description }
}

export function createHook(fields: Fields, enabled: boolean): Promise<Hook> {
  const { description, ...rest } = body(fields)
  return unwrap(api.POST('/api/hooks', { body: { ...rest, enabled, ...(description === null ? {} : { description }) } }))
}

type Change = Partial<ReturnType<typeof body>> & { enabled?: boolean }

/** Changes a hook; with a version only if it is still at that one. */
export function changeHook(id: string, change: Change, version?: number): Promise<Hook> {
  const header = version === undefined ? {} : { 'If-Match': `"${version}"` }
  return unwrap(api.PATCH('/api/hooks/{id}', { params: { path: { id }, header }, body: change }))
}

/** Whether a change was refused because somebody else was faster. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.details['version'] !== undefined
}

/** Saves over that version what was edited; `enabled` only where it is given. */
export function saveHook(id: string, fields: Fields, version: number, enabled?: boolean): Promise<Hook> {
  return changeHook(id, { ...body(fields), ...(enabled === undefined ? {} : { enabled }) }, version)
}

export function readHook(id: string): Promise<Hook> {
  return unwrap(api.GET('/api/hooks/{id}', { params: { path: { id } } }))
}

export async function removeHook(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/hooks/{id}', { params: { path: { id } } }))
}

export function resetHook(id: string): Promise<Hook> {
  return unwrap(api.POST('/api/hooks/{id}/reset', { params: { path: { id } } }))
}

export function reorderHooks(ids: string[]): Promise<Hook[]> {
  return unwrap(api.POST('/api/hooks/reorder', { body: { ids } }))
}

export function importHooks(hooks: unknown): Promise<Hook[]> {
  return unwrap(api.POST('/api/hooks/import', { body: hooks as never }))
}

export function validateScript(script: string, signal: AbortSignal) {
  return unwrap(api.POST('/api/hooks/validate', { body: { script }, signal }))
}

/** Either a captured call or a context of one's own. */
export type Subject = { captureId: string } | { context: Context }

export async function tryScript(script: string, phase: Phase, subject: Subject): Promise<Trial> {
  return (await unwrap(api.POST('/api/hooks/test', { body: { script, phase, ...subject } as never }))) as unknown as Trial
}

export async function tryHook(id: string, phase: Phase, context: Context): Promise<Trial> {
  const request = api.POST('/api/hooks/{id}/test', { params: { path: { id } }, body: { phase, context } as never })
  return (await unwrap(request)) as unknown as Trial
}
