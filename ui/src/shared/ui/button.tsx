import type { ComponentProps } from 'react'
import type { Role } from '../lib/access'
import { classes } from '../lib/classes'
import { useHeld } from './held'
import { Icon, type IconName } from './icons'
import { useRefusal } from './needs'
import { useToast } from './say'
import { Tooltip } from './tooltip'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent font-medium',
  secondary: 'bg-surface text-ink border-line-strong hover:bg-hover',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-bad-text border-line-strong hover:bg-bad-soft',
}

const sizes = { small: 'h-7 px-2.5 text-[13px] gap-1.5', medium: 'h-8 px-3 gap-2', large: 'h-10 px-4 gap-2 text-[15px]' }

export interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  size?: keyof typeof sizes
  icon?: IconName
  /** Shows that the action is under way, and keeps it from being started again. */
  busy?: boolean
  /** The role that the action needs; without it the button says so and does nothing. */
  needs?: Role
}

export function Button({ look = 'secondary', size = 'medium', icon, busy, className, children, disabled, needs, ...rest }: ButtonProps) {
  const refusal = useRefusal(needs)
  const toast = useToast()
  // One that a role keeps from use can still be reached, and says why, by keyboard and by touch too.
  const refused = refusal !== undefined && !disabled && !busy
  const kept = refused && ({ type: 'button', title: refusal, 'aria-disabled': true, onClick: () => toast({ tone: 'info', title: refusal }) } as const)
  const held = useHeld({ disabled, busy, onFocus: rest.onFocus, onBlur: rest.onBlur })
  return (
    <button
      type="button"
      {...rest}
      {...kept}
      {...held}
      aria-busy={busy || undefined}
      className={classes(
        'inline-flex shrink-0 items-center justify-center rounded-md border whitespace-nowrap transition-colors select-none',
        'disabled:opacity-50 aria-disabled:opacity-50',
        looks[look],
        sizes[size],
        className,
      )}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} size={size === 'small' ? 14 : 16} />}
      {children}
    </button>
  )
}

/** A turning ring. */
export function Spinner({ size = 14 }: { size?: number }) {
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 24 24" className="shrink-0 animate-spin">
      <circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="3" />
      <path d="M21 12a9 9 0 0 0-9-9" fill="none" stroke="currentColor" strokeWidth="3" strokeLinecap="round" />
    </svg>
  )
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  icon: IconName
  /** What the button does, for the tooltip and for screen readers. */
  label: string
  /** False where the tooltip would be in the way: a first press of Escape closes it. */
  tooltip?: boolean
}

/** A button that shows only an icon, with its meaning as a tooltip. */
export function IconButton({ icon, label, look = 'quiet', size = 'medium', className, busy, tooltip = true, ...rest }: IconButtonProps) {
  const square = size === 'small' ? 'w-7' : size === 'large' ? 'w-10' : 'w-8'
  return (
    <Tooltip text={tooltip && label}>
      <Button look={look} size={size} aria-label={label} busy={busy} {...rest} className={classes('px-0!', square, className)}>
        {!busy && <Icon name={icon} size={size === 'small' ? 14 : 16} />}
      </Button>
    </Tooltip>
  )
}
