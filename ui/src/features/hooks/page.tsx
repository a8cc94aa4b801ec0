import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { hooksQuery } from '../../shared/api/queries'
import { classes } from '../../shared/lib/classes'
import { useWords } from '../../shared/lib/i18n'
import { BackLink, EmptyState, ErrorState, Loading, Notice, Page } from '../../shared/ui'
import { settingsQuery } from './api'
import { Bench } from './bench'
import { Choices } from '../../shared/ui/choices'
import { isNew, useDraftIds, useDrafts } from './drafts'
import { Side } from './list/side'
import { AddMenu, MoreMenu } from './menus'
import { PathView } from './path/path-view'
import { words } from './words'

interface Search {
  id?: string
  view?: string
  server?: string
  tool?: string
}

/** The hooks: their order, their scripts, and what they do to a call. */
export function HooksPage() {
  const w = useWords(words)
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const go = (next: Search, replace = false) => void navigate({ to: '/hooks', search: next as never, replace })
  const hooks = useQuery({ ...hooksQuery, refetchInterval: 5000 })
  const drafts = useDraftIds()
  const off = useQuery(settingsQuery).data?.listOff === true
  useLeaveGuard()
  const open = (id: string | undefined) => go(id === undefined ? {} : { id })
  // What was a draft or is deleted has no place to go back to.
  const move = (id: string | undefined) => go(id === undefined ? {} : { id }, true)
  const view = search.view === 'path' ? 'path' : 'list'
  const list = hooks.data
  const empty = list?.length === 0 && !drafts.some((id) => isNew(id) || id === search.id)
  return (
    <Page
      full
      title={w.title}
      description={w.about}
      beside={<Choices label={w.views} value={view} onChange={(next) => go(next === 'path' ? { view: 'path' } : {})} options={[['list', w.viewList], ['path', w.viewPath]]} />}
      actions={<><MoreMenu hooks={list ?? []} /><AddMenu onAdd={open} /></>}
    >
      {off && <div className="px-6 pt-3"><Notice tone="warn">{w.listOff}</Notice></div>}
      {hooks.isPending ? (
        <Loading />
      ) : list === undefined ? (
        <div className="p-6"><ErrorState error={hooks.error} retry={() => void hooks.refetch()} /></div>
      ) : view === 'path' ? (
        <div className="flex-1 overflow-auto"><PathView key={`${search.server ?? ''}/${search.tool ?? ''}`} server={search.server} tool={search.tool} /></div>
      ) : empty ? (
        <div className="p-6"><EmptyState icon="hook" title={w.none} action={<AddMenu onAdd={open} />}>{w.noneText}</EmptyState></div>
      ) : (
        <div className="flex min-h-0 flex-1">
          <Side hooks={list} selected={search.id} onSelect={open} />
          <Chosen key={search.id} id={search.id} hooks={list} onSaved={move} />
        </div>
      )}
    </Page>
  )
}

/** Asks before the page is left when the browser has no room for what is not saved. */
function useLeaveGuard(): void {
  const kept = useDrafts((state) => state.kept)
  useEffect(() => {
    if (kept) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [kept])
}

function Chosen({ id, hooks, onSaved }: { id: string | undefined; hooks: Parameters<typeof Side>[0]['hooks']; onSaved: (id: string | undefined) => void }) {
  const w = useWords(words)
  const draft = useDrafts((state) => (id === undefined ? undefined : state.drafts[id]))
  const hook = hooks.find((one) => one.id === id)
  if (id !== undefined && (hook || draft)) return <Bench id={id} hook={hook} onSaved={onSaved} />
  return (
    <div className={classes('flex-1 overflow-auto p-6', id === undefined && 'max-md:hidden')}>
      <BackLink to="/hooks">{w.allHooks}</BackLink>
      <EmptyState icon="hook" title={id === undefined ? w.pick : w.gone}>{w.pickText}</EmptyState>
    </div>
  )
}
