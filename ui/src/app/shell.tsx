import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useLink } from '../shared/api/events'
import { classes } from '../shared/lib/classes'
import { useCutTexts } from '../shared/lib/cut'
import { useKeptFocus } from '../shared/lib/focus'
import { useWords } from '../shared/lib/i18n'
import { useMedia } from '../shared/lib/media'
import { readStored, writeStored } from '../shared/lib/stored'
import { Drawer, Icon, IconButton, StatusDot, Tooltip } from '../shared/ui'
import { useLiveQueries } from './live'
import { AccountMenu, LanguageMenu, ThemeMenu } from './menus'
import { Navigation } from './navigation'
import { ShortcutSheet, useShortcuts } from './shortcuts'
import { words } from './words'

/** The frame around every page: navigation, language, theme, and whether the gateway answers. */
export function Shell({ children }: { children: ReactNode }) {
  const w = useWords(words)
  const [sheet, setSheet] = useState(false)
  const small = useMedia('(max-width: 767px)')
  const main = useRef<HTMLElement>(null)
  const router = useRouter()
  useLiveQueries()
  useCutTexts()
  useKeptFocus(main)
  useShortcuts(() => setSheet(true))
  useEffect(() => router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (pathChanged) main.current?.scrollTo(0, 0)
  }), [router])
  const showSheet = () => setSheet(true)
  return (
    <div className={classes('flex h-full', small && 'flex-col')}>
      <button
        type="button"
        onClick={() => main.current?.focus()}
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
      >
        {w.skip}
      </button>
      {small ? <TopBar showSheet={showSheet} /> : <SideBar showSheet={showSheet} />}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <OfflineBanner />
        <main ref={main} tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
          {children}
        </main>
      </div>
      <ShortcutSheet open={sheet} onOpenChange={setSheet} />
    </div>
  )
}

/** The navigation beside the page, with words or folded to its icons. */
function SideBar({ showSheet }: { showSheet: () => void }) {
  const [chosen, setChosen] = useState(() => readStored('navigation'))
  // Where room is short it goes to the page, unless the reader decided.
  const tight = useMedia('(max-width: 1099px)')
  const narrow = chosen === null ? tight : chosen === 'narrow'
  const toggle = () => {
    const next = narrow ? 'wide' : 'narrow'
    writeStored('navigation', next)
    setChosen(next)
  }
  return (
    <header className={classes('flex shrink-0 flex-col border-r border-line bg-surface', narrow ? 'w-14' : 'w-52')}>
      <Brand narrow={narrow} />
      <Navigation narrow={narrow} />
      <Foot narrow={narrow} toggle={toggle} showSheet={showSheet} />
    </header>
  )
}

/** The navigation of a small window: behind a button, so that the page has all the room. */
function TopBar({ showSheet }: { showSheet: () => void }) {
  const w = useWords(words)
  const [open, setOpen] = useState(false)
  const router = useRouter()
  useEffect(() => router.subscribe('onBeforeNavigate', () => setOpen(false)), [router])
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line bg-surface px-2">
      <Drawer label={w.navigation} open={open} onOpenChange={setOpen} trigger={<IconButton icon="menu" label={w.navigation} tooltip={false} />}>
        <Brand narrow={false} />
        <Navigation narrow={false} />
        <Foot narrow={false} showSheet={showSheet} />
      </Drawer>
      <Brand narrow />
      <span className="ml-auto pr-2"><LinkState narrow /></span>
    </header>
  )
}

/** Says that what is shown may be old; it goes by itself when the gateway is back. */
function OfflineBanner() {
  const w = useWords(words)
  const link = useLink()
  if (link !== 'offline') return null
  return (
    <p role="alert" data-banner="offline" className="flex animate-fade items-center gap-2.5 border-b border-line bg-warn-soft px-4 py-2 text-[13px] text-warn-text md:px-6">
      <Icon name="warning" size={15} /> {w.offlineBanner}
    </p>
  )
}

function Brand({ narrow }: { narrow: boolean }) {
  return (
    <Link to="/" className={classes('flex h-14 items-center gap-2.5 px-4', narrow && 'justify-center px-0!')} aria-label="Lockgate">
      <svg aria-hidden viewBox="0 0 32 32" className="size-7 shrink-0">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path d="M8 8v16M24 8v16M8 13l8 4 8-4M8 20l8 4 8-4" className="fill-none stroke-on-accent" strokeWidth="2.6" strokeLinecap="round" strokeLinejoin="round" />
      </svg>
      {!narrow && <span className="text-[15px] font-semibold tracking-tight">Lockgate</span>}
    </Link>
  )
}

function Foot({ narrow, toggle, showSheet }: { narrow: boolean; toggle?: () => void; showSheet: () => void }) {
  const w = useWords(words)
  return (
    <div className="border-t border-line p-2.5">
      <LinkState narrow={narrow} />
      <AccountMenu narrow={narrow} />
      <div className={classes('mt-1 flex', narrow ? 'flex-col items-center' : 'justify-between')}>
        <LanguageMenu />
        <ThemeMenu />
        <IconButton icon="keyboard" size="small" label={w.shortcuts} onClick={showSheet} />
        {toggle && <IconButton icon={narrow ? 'right' : 'left'} size="small" label={narrow ? w.expand : w.collapse} onClick={toggle} />}
      </div>
    </div>
  )
}

function LinkState({ narrow }: { narrow: boolean }) {
  const w = useWords(words)
  const link = useLink()
  const [tone, text, hint] = link === 'live' ? (['good', w.live, w.liveHint] as const) : link === 'offline' ? (['bad', w.offline, w.offlineHint] as const) : (['warn', w.connecting, w.connecting] as const)
  return (
    <Tooltip text={hint} side="right">
      <p role="status" data-link={link} className={classes('flex h-7 items-center gap-2 px-2.5 text-xs text-muted', narrow && 'justify-center px-0!')}>
        <StatusDot tone={tone} pulse={link !== 'live'} />
        <span className={narrow ? 'sr-only' : ''}>{text}</span>
      </p>
    </Tooltip>
  )
}
