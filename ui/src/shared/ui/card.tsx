import type { ReactNode } from 'react'
import { classes } from '../lib/classes'

interface CardProps {
  title?: ReactNode
  actions?: ReactNode
  children?: ReactNode
  className?: string
  /** Leaves the inside to the children, for tables that reach the border. */
  flush?: boolean
}

/** A surface that holds things that belong together. */
export function Card({ title, actions, children, className, flush }: CardProps) {
  return (
    <section className={classes('min-w-0 rounded-xl border border-line bg-surface shadow-card', className)}>
      {(title || actions) && (
        <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
          <h2 className="min-w-0 flex-[1_1_12rem] text-[13px] font-semibold [overflow-wrap:anywhere]">{title}</h2>
          {actions}
        </header>
      )}
      {/* What reaches the border ends where its corners are round. */}
      <div className={flush ? (title || actions ? 'rounded-b-[inherit]' : 'rounded-[inherit]') : 'p-4'}>{children}</div>
    </section>
  )
}
