import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

export interface Tab {
  value: string
  label: ReactNode
  content: ReactNode
}

interface TabsProps {
  tabs: Tab[]
  value?: string
  onValueChange?: (value: string) => void
  label: string
  actions?: ReactNode
  className?: string
}

/** Several views of one thing, one at a time. */
export function Tabs({ tabs, value, onValueChange, label, actions, className }: TabsProps) {
  return (
    <Radix.Root defaultValue={tabs[0]?.value} value={value} onValueChange={onValueChange} className={className}>
      <div className="flex items-center gap-2 border-b border-line">
        <Radix.List aria-label={label} className="flex min-w-0 flex-1 gap-1 overflow-x-auto">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="-mb-px inline-flex items-center gap-1.5 rounded-t-md border-b-2 border-transparent px-3 py-2 text-[13px] whitespace-nowrap text-muted hover:text-ink focus-visible:outline-offset-[-2px] data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {actions}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-3 focus-visible:outline-offset-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
