import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { accountQuery, signIn, signOut } from '../../shared/api/account'
import { ApiError } from '../../shared/api/client'
import { useWords } from '../../shared/lib/i18n'
import { Button, Failure, Field, IconButton, Icon, Notice, TextField } from '../../shared/ui'
import { words } from './words'

interface SignInProps {
  /** The name of a key that is signed in and has no role. */
  roleless?: string | undefined
  /** What stands below the form, such as the choice of the language. */
  children?: ReactNode
}

/** Asks for a key. Nothing of the gateway is shown before. */
export function SignInPage({ roleless, children }: SignInProps) {
  const w = useWords(words)
  useEffect(() => {
    document.title = `${w.title} · Lockgate`
  }, [w.title])
  return (
    <main className="grid min-h-full place-items-center px-4 py-10">
      <section aria-labelledby="sign-in" className="w-full max-w-sm rounded-xl border border-line bg-surface p-6 shadow-pop">
        <span className="mb-4 grid size-11 place-items-center rounded-full bg-accent-soft text-accent-text"><Icon name="key" size={20} /></span>
        <h1 id="sign-in" className="text-xl font-semibold tracking-tight">{w.title}</h1>
        <p className="mt-1 mb-5 text-[13px] text-muted">{w.about}</p>
        {roleless ? <Roleless name={roleless} /> : <KeyForm />}
        {children && <div className="mt-5 flex justify-between border-t border-line pt-3">{children}</div>}
      </section>
    </main>
  )
}

function KeyForm() {
  const w = useWords(words)
  const client = useQueryClient()
  const [key, setKey] = useState('')
  const [shown, setShown] = useState(false)
  const signing = useMutation({
    mutationFn: () => signIn(key.trim()),
    onSuccess: async (account) => {
      // What was asked before would still say that nobody is signed in.
      await client.cancelQueries({ queryKey: accountQuery.queryKey })
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'account' })
      client.setQueryData(accountQuery.queryKey, account)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() !== '') signing.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label={w.key} hint={w.kept} error={signing.error && <Reason error={signing.error} />}>
        {(ids) => (
          <div className="flex gap-1.5">
            <TextField {...ids} autoFocus name="key" type={shown ? 'text' : 'password'} autoComplete="current-password" value={key} onChange={(event) => setKey(event.target.value)} className="font-mono" />
            <IconButton icon={shown ? 'cross' : 'eye'} label={shown ? w.hide : w.show} onClick={() => setShown(!shown)} />
          </div>
        )}
      </Field>
      <Button type="submit" look="primary" busy={signing.isPending} disabled={key.trim() === ''}>{w.signIn}</Button>
    </form>
  )
}

function Reason({ error }: { error: Error }) {
  const w = useWords(words)
  if (!(error instanceof ApiError)) return error.message
  const wait = error.details['retryAfter']
  if (error.status === 429 && typeof wait === 'number') return w.tooMany(wait)
  return error.status === 401 ? w.wrong : <Failure error={error} />
}

/** A key that may call tools and nothing else. */
function Roleless({ name }: { name: string }) {
  const w = useWords(words)
  const client = useQueryClient()
  const leaving = useMutation({ mutationFn: signOut, onSettled: () => client.invalidateQueries(accountQuery) })
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="warn">{w.noRole(name)}</Notice>
      <Button busy={leaving.isPending} onClick={() => leaving.mutate()}>{w.signOut}</Button>
    </div>
  )
}
