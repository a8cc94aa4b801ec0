import { Select as RadixSelect, Switch as RadixSwitch } from 'radix-ui'
import { useId, type ComponentProps, type ReactNode } from 'react'
import type { Role } from '../lib/access'
import { classes } from '../lib/classes'
import { useWords } from '../lib/i18n'
import { useHeld } from './held'
import { Icon } from './icons'
import { useRefusal } from './needs'
import { words } from './words'

const box = 'w-full rounded-md border border-control bg-surface px-2.5 text-ink placeholder:text-faint disabled:opacity-60 aria-invalid:border-bad'

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: ReactNode
  required?: boolean
  className?: string
  /** Draws the control with the ids that tie it to its label, hint and error. */
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A label, a control, a hint, and what is wrong with the value. */
export function Field({ label, hint, error, required, className, children }: FieldProps) {
  const w = useWords(words)
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={classes('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="text-[13px] font-medium">
        {label}
        {required && <span className="ml-1.5 text-xs font-normal text-faint">{w.required}</span>}
      </label>
      {children({ id, ...(described && { 'aria-describedby': described }), ...(error && { 'aria-invalid': true as const }) })}
      {hint && <p id={`${id}-hint`} className="text-xs text-faint">{hint}</p>}
      {error && <p id={`${id}-error`} className="text-xs text-bad-text [overflow-wrap:anywhere]">{error}</p>}
    </div>
  )
}

/** One line of text. Give it a label through `Field` or `aria-label`. */
export function TextField({ className, ...rest }: ComponentProps<'input'>) {
  return <input type="text" spellCheck={false} autoComplete="off" {...rest} className={classes(box, 'h-8 read-only:bg-sunken', className)} />
}

/** Several lines of text. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea spellCheck={false} rows={4} {...rest} className={classes(box, 'py-1.5 read-only:bg-sunken', className)} />
}

export interface Choice {
  value: string
  label: ReactNode
  disabled?: boolean
}

interface SelectProps {
  value: string
  onValueChange: (value: string) => void
  options: Choice[]
  placeholder?: string
  disabled?: boolean
  className?: string
  id?: string
  'aria-label'?: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

/** The look of a select in a bar of filters: as wide as what it says; on a phone half of the bar, or all of it. */
export const inBar = 'w-auto! max-w-full md:min-w-36 md:max-w-56 max-md:flex-[1_0_calc(50%-4px)]'

/** The value of the choice that stands for none of the others: no name is blank. */
export const ALL = ' '

/** One of a few choices. A value may be any text but the empty one. */
export function Select({ value, onValueChange, options, placeholder, disabled, className, ...rest }: SelectProps) {
  return (
    <RadixSelect.Root value={value} onValueChange={onValueChange} disabled={disabled}>
      <RadixSelect.Trigger
        {...rest}
        className={classes(box, 'inline-flex h-8 items-center justify-between gap-2 text-left data-[placeholder]:text-faint', className)}
      >
        <span className="min-w-0 truncate"><RadixSelect.Value placeholder={placeholder} /></span>
        <Icon name="down" size={14} className="text-faint" />
      </RadixSelect.Trigger>
      <RadixSelect.Portal>
        <RadixSelect.Content position="popper" sideOffset={4} collisionPadding={8} className="z-50 max-h-80 min-w-(--radix-select-trigger-width) animate-fade overflow-auto rounded-lg border border-line bg-raised p-1 shadow-pop">
          <RadixSelect.Viewport>
            {options.map((option) => (
              <RadixSelect.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                className="flex cursor-default items-center gap-2 rounded-md py-1.5 pr-3 pl-2 text-[13px] outline-none select-none data-[disabled]:opacity-45 data-[highlighted]:bg-hover"
              >
                <span className="w-4"><RadixSelect.ItemIndicator><Icon name="check" size={14} /></RadixSelect.ItemIndicator></span>
                <RadixSelect.ItemText>{option.label}</RadixSelect.ItemText>
              </RadixSelect.Item>
            ))}
          </RadixSelect.Viewport>
        </RadixSelect.Content>
      </RadixSelect.Portal>
    </RadixSelect.Root>
  )
}

interface SwitchProps {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
  label: string
  /** Shows the label beside the switch; else it is for screen readers only. */
  showLabel?: boolean
  disabled?: boolean
  /** The role that the change needs. */
  needs?: Role
}

/** On or off, at once. */
export function Switch({ checked, onCheckedChange, label, showLabel, disabled, needs }: SwitchProps) {
  const id = useId()
  const refusal = useRefusal(needs)
  const held = useHeld({ disabled: disabled || refusal !== undefined })
  return (
    <span className="inline-flex items-center gap-2" title={refusal}>
      <RadixSwitch.Root
        id={id}
        checked={checked}
        onCheckedChange={onCheckedChange}
        {...held}
        aria-label={showLabel ? undefined : label}
        className="h-[18px] w-8 shrink-0 rounded-full bg-control transition-colors disabled:opacity-50 aria-disabled:opacity-50 data-[state=checked]:bg-accent"
      >
        <RadixSwitch.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-white transition-transform data-[state=checked]:translate-x-4" />
      </RadixSwitch.Root>
      {showLabel && <label htmlFor={id} className="text-[13px]">{label}</label>}
    </span>
  )
}
