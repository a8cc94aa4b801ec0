import { queryOptions } from '@tanstack/react-query'
import type { Account } from '../lib/access'
import { api, ApiError, unwrap } from './client'

/** Who is signed in; `null` while nobody is and somebody must be. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }): Promise<Account | null> => {
    try {
      return await unwrap(api.GET('/api/session', { signal }))
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
  staleTime: Infinity,
})

/** Signs in with a key; the browser gets a cookie that scripts cannot read. */
export async function signIn(key: string): Promise<Account> {
  const reply = api.POST('/api/session', { body: { key } })
  try {
    return await unwrap(reply)
  } catch (error) {
    const wait = Number((await reply.catch(() => null))?.response.headers.get('retry-after'))
    if (!(error instanceof ApiError) || !(wait > 0)) throw error
    throw new ApiError(error.status, error.code, error.message, { ...error.details, retryAfter: wait })
  }
}

/** Forgets who is signed in. */
export async function signOut(): Promise<void> {
  try {
    await unwrap(api.DELETE('/api/session'))
  } catch (error) {
    // Whoever is not known any more is signed out.
    if (!(error instanceof ApiError && error.status === 401)) throw error
  }
}
