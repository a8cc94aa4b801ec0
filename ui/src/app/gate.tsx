import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { accountQuery } from '../shared/api/account'
import { AccountContext, may } from '../shared/lib/access'
import { ErrorState, late, Loading } from '../shared/ui'
import { LanguageMenu, ThemeMenu } from './menus'

const SignInPage = late(async () => (await import('../features/access')).SignInPage)

/** Lets in whoever is signed in, or everybody where the gateway has no keys; asks the others for a key. */
export function Gate({ children }: { children: ReactNode }) {
  const { data: account, error, refetch } = useQuery({
    ...accountQuery,
    // A gateway that is away comes back, and the page with it.
    refetchInterval: ({ state }) => (state.status === 'error' && state.data === undefined ? 3000 : false),
  })
  if (account === undefined) return error ? <Away error={error} retry={() => void refetch()} /> : <Loading />
  if (account && may(account, 'viewer')) return <AccountContext value={account}>{children}</AccountContext>
  return (
    <SignInPage roleless={account?.name ?? undefined}>
      <LanguageMenu />
      <ThemeMenu />
    </SignInPage>
  )
}

/** What stands in place of everything while nobody knows who is there. */
function Away({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <main className="p-6">
      <h1 className="sr-only">Lockgate</h1>
      <ErrorState error={error} retry={retry} />
    </main>
  )
}
