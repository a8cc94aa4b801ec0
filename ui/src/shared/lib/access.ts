import { createContext, useContext, useEffect } from 'react'
import { create } from 'zustand'
import type { components } from '../api/schema'

/** What a key may do with the gateway. */
export type Role = components['schemas']['Role']

/** The roles; each may do what those before it may. */
export const ROLES = ['viewer', 'editor', 'operator'] as const satisfies readonly Role[]

/** Who uses the page. Without a name the gateway has no keys, and everybody may do everything. */
export type Account = Partial<components['schemas']['SignedIn']>

/** Whether somebody may do what needs a role. */
export function may({ name, role }: Account, needs: Role): boolean {
  if (!name) return true
  return role !== undefined && role !== null && ROLES.indexOf(role) >= ROLES.indexOf(needs)
}

export const AccountContext = createContext<Account>({})

/** Who uses the page. */
export function useAccount(): Account {
  return useContext(AccountContext)
}

/** Whether the one who uses the page may do what needs a role. */
export function useMay(needs: Role | undefined): boolean {
  const account = useAccount()
  return needs === undefined || may(account, needs)
}

const useStays = create<{ count: number }>()(() => ({ count: 0 }))

/** Keeps what is shown on the screen while it is needed, also when somebody has to sign in before anything else. */
export function useStay(needed: boolean): void {
  useEffect(() => {
    if (!needed) return
    useStays.setState(({ count }) => ({ count: count + 1 }))
    return () => useStays.setState(({ count }) => ({ count: count - 1 }))
  }, [needed])
}

/** Whether something on the screen has to stay. */
export function useStaying(): boolean {
  return useStays(({ count }) => count > 0)
}
