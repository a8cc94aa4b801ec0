import { useEffect, type ReactNode } from 'react'
import { classes } from '../lib/classes'

interface PageProps {
  title: string
  /** One line below the title. */
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** Fills the window without a margin and without scrolling the page, for editors. */
  full?: boolean
  /** What stands beside the title. */
  beside?: ReactNode
}

/** The frame of every page: title, actions, content. It also names the browser's tab. */
export function Page({ title, description, actions, children, full, beside }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Lockgate`
  }, [title])
  return (
    <div className={classes('flex min-h-full flex-col', full && 'h-full')}>
      <header className={classes('flex flex-wrap items-center gap-x-4 gap-y-2 px-4 md:px-6', full ? 'border-b border-line bg-surface py-2.5' : 'mx-auto w-full max-w-[1400px] pt-6 pb-4')}>
        <div className="min-w-0 flex-[1_1_14rem]">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className={classes('font-semibold [overflow-wrap:anywhere] md:truncate tracking-tight', full ? 'text-[15px]' : 'text-xl')}>{title}</h1>
            {beside}
          </div>
          {description && <p className={classes('mt-0.5 text-muted', full && 'max-md:hidden')}>{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2 max-md:w-full">{actions}</div>}
      </header>
      {full ? <div className="flex min-h-0 flex-1 flex-col">{children}</div> : <div className="mx-auto w-full max-w-[1400px] flex-1 px-4 pb-10 md:px-6">{children}</div>}
    </div>
  )
}
