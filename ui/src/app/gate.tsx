import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { accountQuery } from '../shared/api/account'
import { AccountContext, may } from '../shared/lib/access'
import { ErrorState, late, Loading } from '../shared/ui'
import { LanguageMenu, ThemeMenu } from './menus'

const SignInPage = late(async () => (await import('../features/access')).SignInPage)

/** Lets in whoever is signed in, or everybody where the gateway has no keys; asks the others for a key. */
export function Gate({ children }: { children: ReactNode }) {
  const { data: account, error, refetch } = useQuery(accountQuery)
  if (account === undefined) return error ? <div className="p-6"><ErrorState error={error} retry={() => void refetch()} /></div> : <Loading />
  if (account && may(account, 'viewer')) return <AccountContext value={account}>{children}</AccountContext>
  return (
    <SignInPage roleless={account?.name ?? undefined}>
      <LanguageMenu />
      <ThemeMenu />
    </SignInPage>
  )
}
