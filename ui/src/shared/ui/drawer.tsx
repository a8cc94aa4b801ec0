import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface DrawerProps {
  label: string
  open: boolean
  onOpenChange: (open: boolean) => void
  /** What opens it. */
  trigger: ReactNode
  children: ReactNode
}

/** A column that comes in from the left, above the page. Escape and a press beside it close it. */
export function Drawer({ label, open, onOpenChange, trigger, children }: DrawerProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-black/45" />
        <Radix.Content
          aria-describedby={undefined}
          // It takes the focus itself; the tooltip of a button would open at once.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          className="fixed inset-y-0 left-0 z-50 flex w-64 animate-slide flex-col border-r border-line bg-surface shadow-pop outline-none"
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
