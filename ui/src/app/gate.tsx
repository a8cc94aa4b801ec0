import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { accountQuery } from '../shared/api/account'
import { type Account, AccountContext, may } from '../shared/lib/access'
import { claimPage } from '../shared/lib/stored'
import { ErrorState, late, Loading } from '../shared/ui'
import { LanguageMenu, ThemeMenu } from './menus'

const SignInPage = late(async () => (await import('../features/access')).SignInPage)

/** Lets in whoever is signed in, or everybody where the gateway has no keys; asks the others for a key. */
export function Gate({ children }: { children: ReactNode }) {
  const { data: account, error, refetch } = useQuery({
    ...accountQuery,
    // A gateway that is away comes back, and the page with it.
    refetchInterval: ({ state }) => (state.status === 'error' && state.data === undefined ? 3000 : false),
    // Another may have signed in meanwhile, in another tab.
    refetchOnWindowFocus: ({ state }) => (state.data?.name ? 'always' : false),
  })
  if (account === undefined) return error ? <Away error={error} retry={() => void refetch()} /> : <Loading />
  if (account && may(account, 'viewer')) return <Admitted account={account}>{children}</Admitted>
  return (
    <SignInPage roleless={account?.name ?? undefined}>
      <LanguageMenu />
      <ThemeMenu />
    </SignInPage>
  )
}

/** The page of one person. When it was another's, nothing of it stays: it is read anew. */
function Admitted({ account, children }: { account: Account; children: ReactNode }) {
  const isOwn = claimPage(account.name ?? '')
  useEffect(() => {
    if (!isOwn) window.location.reload()
  }, [isOwn])
  return isOwn ? <AccountContext value={account}>{children}</AccountContext> : <Loading />
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
