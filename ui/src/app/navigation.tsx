import { Link } from '@tanstack/react-router'
import { may, useAccount } from '../shared/lib/access'
import { classes } from '../shared/lib/classes'
import { useWords } from '../shared/lib/i18n'
import { Icon, Tooltip } from '../shared/ui'
import { pageGroups, type PageLink } from './pages'
import { words } from './words'

/** The links to the pages; narrow, it shows the icons only. */
export function Navigation({ narrow }: { narrow: boolean }) {
  const w = useWords(words)
  const account = useAccount()
  return (
    <nav aria-label={w.navigation} className="flex flex-1 flex-col overflow-y-auto px-2.5 py-2">
      {pageGroups.map((group, at) => (
        <ul key={at} className={classes('flex flex-col gap-0.5', at > 0 && 'mt-3 border-t border-line pt-3')}>
          {group.filter(({ needs }) => needs === undefined || may(account, needs)).map((page) => (
            <li key={page.to}>
              <Entry page={page} narrow={narrow} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

function Entry({ page, narrow }: { page: PageLink; narrow: boolean }) {
  const w = useWords(words)
  const name = w[page.word]
  const link = (
    <Link
      to={page.to}
      activeOptions={{ exact: page.to === '/', includeSearch: false }}
      aria-label={narrow ? name : undefined}
      className={classes(
        'flex h-8 items-center gap-2.5 rounded-md px-2.5 text-muted transition-colors hover:bg-hover hover:text-ink',
        'data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-accent-text',
        narrow && 'justify-center px-0!',
      )}
    >
      <Icon name={page.icon} size={17} />
      {!narrow && <span className="truncate">{name}</span>}
    </Link>
  )
  return narrow ? <Tooltip text={name} side="right">{link}</Tooltip> : link
}
