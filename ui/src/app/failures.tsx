import { Link, type ErrorComponentProps } from '@tanstack/react-router'
import { useWords } from '../shared/lib/i18n'
import { Button, EmptyState, Page } from '../shared/ui'
import { words } from './words'

/** What stands in place of a page that failed to draw. The rest of the app goes on. */
export function Crashed({ error }: ErrorComponentProps) {
  const w = useWords(words)
  return (
    <Page title={w.crashed}>
      <EmptyState
        icon="warning"
        title={w.crashed}
        action={<Button icon="restart" onClick={() => window.location.reload()}>{w.reload}</Button>}
      >
        {error instanceof Error ? error.message : String(error)}
      </EmptyState>
    </Page>
  )
}

/** What stands behind an address that leads nowhere. */
export function NotFound() {
  const w = useWords(words)
  return (
    <Page title={w.notFound}>
      <EmptyState icon="search" title={w.notFoundHint} action={<Link to="/" className="text-accent-text underline">{w.home}</Link>} />
    </Page>
  )
}
