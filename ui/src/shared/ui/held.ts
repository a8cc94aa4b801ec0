import { type FocusEvent, type SyntheticEvent, useState } from 'react'

type Notice = ((event: FocusEvent<HTMLButtonElement>) => void) | undefined

interface Held {
  disabled?: boolean | undefined
  /** Whether what it began is under way. */
  busy?: boolean | undefined
  onFocus?: Notice
  onBlur?: Notice
}

const stop = (event: SyntheticEvent) => event.preventDefault()

/**
 * The properties of a button that can be switched off, often by its own press. A browser takes the focus from one that
 * it disables; so while it has the focus, or may get it back from a window or a menu that closes, it only says that it
 * is disabled, and does nothing.
 */
export function useHeld({ disabled = false, busy = false, onFocus, onBlur }: Held) {
  const [focused, setFocused] = useState(false)
  const held = busy || (disabled && focused)
  return {
    disabled: disabled && !held,
    // A press would send a form, or open a menu.
    ...(held && ({ 'aria-disabled': true, onClick: stop, onPointerDown: undefined, onKeyDown: undefined } as const)),
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      setFocused(true)
      onFocus?.(event)
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      setFocused(false)
      onBlur?.(event)
    },
  }
}
