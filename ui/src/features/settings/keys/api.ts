import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../../shared/api/client'
import type { components } from '../../../shared/api/schema'

type Schemas = components['schemas']

/** What a key permits; what is absent is not limited, but for the role: without one there is no admin route. */
export type Grant = Partial<Schemas['Grant']>

/** A key in force, without the key itself. */
export type Key = Grant & Pick<Schemas['KeyView'], 'name' | 'origin'>

/** The keys in force. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }): Promise<Key[]> => unwrap(api.GET('/api/keys', { signal })),
})

/** Makes a key; the answer is the only one that shows it. */
export function createKey(name: string, grant: Grant): Promise<Schemas['NewKey']> {
  // What is left out has a default, which the document cannot say of a body.
  return unwrap(api.POST('/api/keys', { body: { name, ...grant } as Schemas['KeyDraft'] }))
}

/** Revokes a key at once. */
export async function revokeKey(name: string): Promise<void> {
  await unwrap(api.DELETE('/api/keys/{name}', { params: { path: { name } } }))
}
