import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from './icons'

/** The way back to a list, in a window that has no room for the list beside what was chosen from it. */
export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} search={{} as never} className="-ml-1 inline-flex h-8 items-center gap-1.5 self-start rounded-md pr-2 text-[13px] text-muted hover:text-ink md:hidden">
      <Icon name="left" size={14} /> {children}
    </Link>
  )
}
