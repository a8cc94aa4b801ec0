import type { ReactNode } from 'react'
import { useWords } from '../lib/i18n'
import { Button, Spinner } from './button'
import { Failure } from './failure'
import { Icon, type IconName } from './icons'
import { words } from './words'

interface EmptyStateProps {
  icon?: IconName
  title: string
  children?: ReactNode
  /** The next thing to do. */
  action?: ReactNode
}

/** What a page shows when it has nothing yet: why, and what to do next. */
export function EmptyState({ icon = 'info', title, children, action }: EmptyStateProps) {
  return (
    <div className="flex animate-fade flex-col items-center rounded-xl border border-dashed border-line-strong px-6 py-14 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-full bg-accent-soft text-accent-text">
        <Icon name={icon} size={20} />
      </span>
      <h2 className="text-[15px] font-semibold">{title}</h2>
      {children && <div className="mt-1 max-w-md text-balance text-muted">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

/** What a page shows until its data is there. */
export function Loading({ label }: { label?: string }) {
  const w = useWords(words)
  return (
    <div role="status" className="flex animate-fade items-center justify-center gap-2.5 px-6 py-16 text-muted">
      <Spinner size={16} />
      {label ?? w.loading}
    </div>
  )
}

/** What a page shows when its data could not be had, with the reason and a way to ask again. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const w = useWords(words)
  return (
    <div role="alert" className="flex animate-fade flex-col items-center rounded-xl border border-line bg-surface px-6 py-12 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-full bg-bad-soft text-bad-text">
        <Icon name="warning" size={20} />
      </span>
      <h2 className="text-[15px] font-semibold">{w.failed}</h2>
      <p className="mt-1 max-w-xl text-muted [overflow-wrap:anywhere]"><Failure error={error} /></p>
      {retry && (
        <Button className="mt-5" icon="restart" onClick={retry}>
          {w.retry}
        </Button>
      )}
    </div>
  )
}

const notices = {
  info: ['bg-info-soft text-info-text', 'info'],
  good: ['bg-good-soft text-good-text', 'check'],
  warn: ['bg-warn-soft text-warn-text', 'warning'],
  bad: ['bg-bad-soft text-bad-text', 'warning'],
} as const

/** A short remark inside a page. */
export function Notice({ tone = 'info', children, action }: { tone?: keyof typeof notices; children: ReactNode; action?: ReactNode }) {
  const [look, icon] = notices[tone]
  return (
    <div role={tone === 'bad' ? 'alert' : 'note'} className={`flex flex-wrap items-start gap-x-2.5 gap-y-2 rounded-lg px-3 py-2 text-[13px] ${look}`}>
      {/* Where both do not fit side by side, the action comes below the text. */}
      <div className="flex min-w-0 flex-[1_1_14rem] gap-2.5">
        <Icon name={icon} size={15} className="mt-0.5" />
        <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</div>
      </div>
      {action}
    </div>
  )
}
