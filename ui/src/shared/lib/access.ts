import { createContext, useContext } from 'react'

/** What a key may do with the gateway; each role may do what those before it may. */
export const ROLES = ['viewer', 'editor', 'operator'] as const
export type Role = (typeof ROLES)[number]

/** Who uses the page. Without a name the gateway has no keys, and everybody may do everything. */
export interface Account {
  readonly name?: string | null
  readonly role?: Role | null
}

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
