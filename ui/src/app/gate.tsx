import { QueryObserver, useQuery, useQueryClient } from '@tanstack/react-query'
import { Activity, type ReactNode, useEffect, useState } from 'react'
import { accountQuery } from '../shared/api/account'
import { type Account, AccountContext, may, useStaying } from '../shared/lib/access'
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
  const known = account && may(account, 'viewer') ? account : undefined
  const [inside, setInside] = useState<Account>()
  if (known && known !== inside) setInside(known)
  const staying = useStaying() && inside !== undefined
  if (account === undefined) return error ? <Away error={error} retry={() => void refetch()} /> : <Loading />
  const isOwn = known === undefined || claimPage(known.name ?? '')
  // What stays does so while nobody is signed in; whoever comes next does not see it.
  const isShown = (staying && account === null) || (known !== undefined && isOwn)
  return (
    <>
      {/* Whoever has to sign in again finds everything as it was, half-filled forms and open windows included. */}
      {inside && <Activity mode={isShown ? 'visible' : 'hidden'}><AccountContext value={inside}>{children}</AccountContext></Activity>}
      {!isShown && known === undefined && <Closed roleless={account?.name ?? undefined} />}
      {!isShown && known !== undefined && <Another />}
    </>
  )
}

/** Asks for a key. What was read before stays: without it the page below would begin anew. */
function Closed({ roleless }: { roleless: string | undefined }) {
  const client = useQueryClient()
  useEffect(() => {
    const read = client.getQueryCache().getAll()
    const ends = read.map(({ options, queryKey }) => new QueryObserver(client, { ...options, queryKey, enabled: false }).subscribe(() => {}))
    return () => ends.forEach((end) => end())
  }, [client])
  return (
    <SignInPage roleless={roleless}>
      <LanguageMenu />
      <ThemeMenu />
    </SignInPage>
  )
}

/** Stands for a moment when the page was another's: nothing of it stays, it is read anew. */
function Another() {
  useEffect(() => window.location.reload(), [])
  return <Loading />
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
