import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** Shows a short text when its child is hovered or focused. */
export function Tooltip({ text, side = 'bottom', children }: { text: ReactNode; side?: 'top' | 'right' | 'bottom' | 'left'; children: ReactNode }) {
  if (!text) return children
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="pointer-events-none z-60 max-w-80 animate-fade rounded-md bg-ink px-2.5 py-1.5 text-xs text-canvas shadow-pop"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Gives all tooltips below it one delay. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  )
}
