import { useMutation } from '@tanstack/react-query'
import { signOut } from '../shared/api/account'
import { useAccount } from '../shared/lib/access'
import { classes } from '../shared/lib/classes'
import { useLanguage, useWords } from '../shared/lib/i18n'
import { useTheme, type Theme } from '../shared/lib/theme'
import { Icon, IconButton, Menu, useToast } from '../shared/ui'
import { words } from './words'

export function LanguageMenu() {
  const w = useWords(words)
  const { language, setLanguage } = useLanguage()
  const items = ([['en', 'English'], ['ja', '日本語']] as const).map(([value, label]) => ({
    label, checked: value === language, onSelect: () => setLanguage(value),
  }))
  return <Menu align="start" items={items}><IconButton icon="language" size="small" label={w.language} /></Menu>
}

export function ThemeMenu() {
  const w = useWords(words)
  const { theme, shown, setTheme } = useTheme()
  const items = (['system', 'light', 'dark'] satisfies Theme[]).map((value) => ({
    label: w[value], checked: value === theme, onSelect: () => setTheme(value),
  }))
  return <Menu align="start" items={items}><IconButton icon={shown === 'dark' ? 'moon' : 'sun'} size="small" label={w.theme} /></Menu>
}

/** Who is signed in, and the way out; nothing where the gateway has no keys. */
export function AccountMenu({ narrow }: { narrow: boolean }) {
  const w = useWords(words)
  const { name, role } = useAccount()
  const toast = useToast()
  const leaving = useMutation({
    mutationFn: signOut,
    // Everything that was read, and the stream of events, goes with the page.
    onSuccess: () => window.location.reload(),
    onError: (error) => toast({ tone: 'bad', title: w.signOutFailed, error }),
  })
  if (!name || !role) return null
  const says = w.signedIn(name, w[role])
  return (
    <Menu align="start" items={[{ kind: 'label', label: says }, { label: w.signOut, icon: 'arrow', onSelect: () => leaving.mutate() }]}>
      <button
        type="button"
        aria-label={narrow ? says : undefined}
        title={says}
        className={classes('flex h-8 w-full items-center gap-2 rounded-md px-2.5 text-xs text-muted hover:bg-hover hover:text-ink', narrow && 'justify-center px-0!')}
      >
        <Icon name="user" size={15} />
        {!narrow && <span className="min-w-0 flex-1 truncate text-left font-medium">{name}</span>}
        {!narrow && <span className="text-faint">{w[role]}</span>}
      </button>
    </Menu>
  )
}
