import { ContextMenu as RadixContext, DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { type Role, may, useAccount } from '../lib/access'
import { classes } from '../lib/classes'
import { useWords } from '../lib/i18n'
import { Icon, type IconName } from './icons'
import { Kbd } from './text'
import { words } from './words'

export type MenuItem =
  | { kind?: 'item'; label: string; icon?: IconName; shortcut?: string; danger?: boolean; disabled?: boolean; checked?: boolean; needs?: Role; title?: string; onSelect: () => void }
  | { kind: 'separator' }
  | { kind: 'label'; label: string }

const panel = 'z-50 min-w-44 animate-fade rounded-lg border border-line bg-raised p-1 shadow-pop'
const entry = 'flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 text-[13px] outline-none select-none data-[disabled]:opacity-45'

function Inside({ item }: { item: Extract<MenuItem, { onSelect: () => void }> }) {
  return (
    <>
      {item.checked !== undefined && <span className="w-4">{item.checked && <Icon name="check" size={14} />}</span>}
      {item.icon && <Icon name={item.icon} size={15} className={item.danger ? '' : 'text-faint'} />}
      <span className="flex-1">{item.label}</span>
      {item.shortcut && <Kbd>{item.shortcut}</Kbd>}
    </>
  )
}

function look(danger?: boolean): string {
  return classes(entry, danger ? 'text-bad-text data-[highlighted]:bg-bad-soft' : 'text-ink data-[highlighted]:bg-hover')
}

/** The items as the one who uses the page may use them. */
function usePermitted(items: MenuItem[]): MenuItem[] {
  const w = useWords(words)
  const account = useAccount()
  return items.map((item) => ('needs' in item && item.needs && !may(account, item.needs) ? { ...item, disabled: true, title: w.needs(item.needs) } : item))
}

/** The actions behind a button. */
export function Menu({ items, children, align = 'end', ...shown }: { items: MenuItem[]; children: ReactNode; align?: 'start' | 'end'; open?: boolean; onOpenChange?: (open: boolean) => void }) {
  const permitted = usePermitted(items)
  return (
    <Radix.Root modal={false} {...shown}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} sideOffset={6} collisionPadding={8} className={panel}>
          {permitted.map((item, at) => {
            if (item.kind === 'separator') return <Radix.Separator key={at} className="my-1 h-px bg-line" />
            if (item.kind === 'label') return <Radix.Label key={at} className="px-2.5 py-1 text-xs text-faint">{item.label}</Radix.Label>
            return (
              <Radix.Item key={at} disabled={item.disabled} title={item.title} onSelect={item.onSelect} className={look(item.danger)}>
                <Inside item={item} />
              </Radix.Item>
            )
          })}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The same actions behind a right click. */
export function ContextMenu({ items, children }: { items: MenuItem[]; children: ReactNode }) {
  const permitted = usePermitted(items)
  return (
    <RadixContext.Root modal={false}>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal>
        <RadixContext.Content collisionPadding={8} className={panel}>
          {permitted.map((item, at) => {
            if (item.kind === 'separator') return <RadixContext.Separator key={at} className="my-1 h-px bg-line" />
            if (item.kind === 'label') return <RadixContext.Label key={at} className="px-2.5 py-1 text-xs text-faint">{item.label}</RadixContext.Label>
            return (
              <RadixContext.Item key={at} disabled={item.disabled} title={item.title} onSelect={item.onSelect} className={look(item.danger)}>
                <Inside item={item} />
              </RadixContext.Item>
            )
          })}
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  )
}
