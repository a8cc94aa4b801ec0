import { createContext, useContext } from 'react'
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
