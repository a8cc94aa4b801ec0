import { queryOptions } from '@tanstack/react-query'
import type { Account } from '../lib/access'
import { ApiError, refusal, send } from './client'

/** Who is signed in; `null` while nobody is and somebody must be. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }): Promise<Account | null> => {
    const reply = await reach('api/session', { signal })
    if (reply.status === 401) return null
    // A gateway that knows no sessions has no keys either.
    if (reply.status === 404) return {}
    return read(reply)
  },
  staleTime: Infinity,
})

/** Signs in with a key; the browser gets a cookie that scripts cannot read. */
export async function signIn(key: string): Promise<Account> {
  return read(await reach('api/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ key }) }))
}

/** Forgets who is signed in. */
export async function signOut(): Promise<void> {
  const reply = await reach('api/session', { method: 'DELETE' })
  if (!reply.ok && reply.status !== 401) throw await refused(reply)
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await send(path, init)
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new ApiError(0, 'UNREACHABLE', cause instanceof Error ? cause.message : String(cause))
  }
}

async function read(reply: Response): Promise<Account> {
  if (!reply.ok) throw await refused(reply)
  return (await reply.json()) as Account
}

async function refused(reply: Response): Promise<ApiError> {
  const error = refusal(reply.status, await reply.json().catch(() => null))
  const wait = Number(reply.headers.get('retry-after'))
  return wait > 0 ? new ApiError(error.status, error.code, error.message, { ...error.details, retryAfter: wait }) : error
}
