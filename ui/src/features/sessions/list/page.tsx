import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Button, Icon, type IconName, Page } from '../../../shared/ui'
import { ActivitiesPane } from '../activity/pane'
import { useLiveSessions } from '../api'
import { StartDialog } from '../begin/dialog'
import { words } from '../words'
import { SessionsPane } from './pane'

/** All sessions, live, and the activities that their steps are made of. */
export function SessionsPage() {
  const w = useWords(words)
  const search: { tab?: unknown } = useSearch({ strict: false })
  const [starting, setStarting] = useState(false)
  useLiveSessions()
  const isActivities = search.tab === 'activities'
  return (
    <Page title={w.title} full actions={<Button needs="editor" look="primary" icon="play" onClick={() => setStarting(true)}>{w.start}</Button>}>
      <nav aria-label={w.tabs} className="flex gap-1 border-b border-line bg-surface px-5">
        <TabLink icon="session" label={w.title} active={!isActivities} />
        <TabLink icon="activity" label={w.activities} active={isActivities} tab="activities" />
      </nav>
      {isActivities ? <ActivitiesPane /> : <SessionsPane onStart={() => setStarting(true)} />}
      {starting && <StartDialog onClose={() => setStarting(false)} />}
    </Page>
  )
}

function TabLink({ icon, label, active, tab }: { icon: IconName; label: string; active: boolean; tab?: string }) {
  return (
    <Link
      to="/sessions"
      search={(tab ? { tab } : {}) as never}
      aria-current={active ? 'page' : undefined}
      className={classes('-mb-px flex items-center gap-1.5 border-b-2 px-3 py-2 text-[13px]', active ? 'border-accent font-medium text-ink' : 'border-transparent text-muted hover:text-ink')}
    >
      <Icon name={icon} size={14} /> {label}
    </Link>
  )
}
