import { queryOptions } from '@tanstack/react-query'
import { ask, refusal, send } from '../../../shared/api/client'
import type { Role } from '../../../shared/lib/access'

/** What a key permits; what is absent is not limited, but for the role: without one there is no admin route. */
export interface Grant {
  readonly servers?: readonly string[]
  readonly tools?: readonly string[]
  readonly readOnly?: boolean
  readonly role?: Role
  readonly expires?: string
}

/** A key in force, without the key itself. */
export interface Key extends Grant {
  readonly name: string
  readonly origin: 'config' | 'api'
}

/** The keys in force. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => ask<Key[]>('api/keys', signal),
})

/** Makes a key; the answer is the only one that shows it. */
export async function createKey(name: string, grant: Grant): Promise<Key & { readonly key: string }> {
  const reply = await send('api/keys', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name, ...grant }) })
  if (!reply.ok) throw refusal(reply.status, await reply.json().catch(() => null))
  return (await reply.json()) as Key & { key: string }
}

/** Revokes a key at once. */
export async function revokeKey(name: string): Promise<void> {
  const reply = await send(`api/keys/${encodeURIComponent(name)}`, { method: 'DELETE' })
  if (!reply.ok) throw refusal(reply.status, await reply.json().catch(() => null))
}
