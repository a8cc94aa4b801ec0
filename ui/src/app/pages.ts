import type { Role } from '../shared/lib/access'
import type { IconName } from '../shared/ui'
import type { words } from './words'

/** One line of the navigation: where it leads, its word, its icon, and the key that follows `g`. */
export interface PageLink {
  to: '/' | '/servers' | '/tools' | '/requests' | '/hooks' | '/workflows' | '/runs' | '/sessions' | '/schedules' | '/audit' | '/settings'
  word: Exclude<keyof (typeof words)['en'], 'goTo' | 'signedIn'>
  icon: IconName
  key: string
  /** The role without which there is nothing to see. */
  needs?: Role
}

/** The groups of the navigation, in order. */
export const pageGroups: PageLink[][] = [
  [
    { to: '/', word: 'dashboard', icon: 'dashboard', key: 'd' },
    { to: '/servers', word: 'servers', icon: 'server', key: 's' },
    { to: '/tools', word: 'tools', icon: 'tool', key: 't' },
    { to: '/requests', word: 'requests', icon: 'history', key: 'q' },
  ],
  [
    { to: '/hooks', word: 'hooks', icon: 'hook', key: 'h' },
    { to: '/workflows', word: 'workflows', icon: 'workflow', key: 'w' },
    { to: '/runs', word: 'runs', icon: 'run', key: 'r' },
    { to: '/sessions', word: 'sessions', icon: 'session', key: 'e' },
    { to: '/schedules', word: 'schedules', icon: 'clock', key: 'l' },
  ],
  [
    { to: '/audit', word: 'audit', icon: 'book', key: 'a', needs: 'operator' },
    { to: '/settings', word: 'settings', icon: 'settings', key: 'c' },
  ],
]
