import type { IconName } from '../shared/ui'
import type { words } from './words'

/** One line of the navigation: where it leads, its word, its icon, and the key that follows `g`. */
export interface PageLink {
  to: '/' | '/servers' | '/tools' | '/hooks' | '/workflows' | '/runs' | '/sessions' | '/settings'
  word: Exclude<keyof (typeof words)['en'], 'goTo'>
  icon: IconName
  key: string
}

/** The groups of the navigation, in order. */
export const pageGroups: PageLink[][] = [
  [
    { to: '/', word: 'dashboard', icon: 'dashboard', key: 'd' },
    { to: '/servers', word: 'servers', icon: 'server', key: 's' },
    { to: '/tools', word: 'tools', icon: 'tool', key: 't' },
  ],
  [
    { to: '/hooks', word: 'hooks', icon: 'hook', key: 'h' },
    { to: '/workflows', word: 'workflows', icon: 'workflow', key: 'w' },
    { to: '/runs', word: 'runs', icon: 'run', key: 'r' },
    { to: '/sessions', word: 'sessions', icon: 'session', key: 'e' },
  ],
  [{ to: '/settings', word: 'settings', icon: 'settings', key: 'c' }],
]
