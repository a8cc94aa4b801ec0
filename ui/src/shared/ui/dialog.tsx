import { Dialog as Radix } from 'radix-ui'
import { useState, type ReactNode } from 'react'
import { classes } from '../lib/classes'
import { useWords } from '../lib/i18n'
import { Button, IconButton } from './button'
import { words } from './words'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  children?: ReactNode
  footer?: ReactNode
  size?: 'small' | 'medium' | 'large'
}

interface FormDialogProps extends DialogProps {
  /** Whether something was typed that closing would lose. */
  dirty: boolean
}

const sizes = { small: 'max-w-md', medium: 'max-w-xl', large: 'max-w-4xl' }

/** A window above the page. Escape and the cross close it. */
export function Dialog({ open, onOpenChange, title, description, children, footer, size = 'medium' }: DialogProps) {
  const w = useWords(words)
  const opener = useOpener(open)
  const described = description ? {} : { 'aria-describedby': undefined }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-50 animate-fade bg-black/45" />
        <Radix.Content
          {...described}
          // The window itself takes the focus, not its cross, whose tooltip would open at once.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            giveBack(opener)
          }}
          className={classes(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[86vh] w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 flex-col',
            'animate-fade rounded-xl border border-line bg-raised shadow-pop outline-none',
            sizes[size],
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-[15px] font-semibold">{title}</Radix.Title>
              {description && <Radix.Description className="mt-1 text-muted">{description}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton icon="cross" size="small" label={w.close} tooltip={false} />
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-auto px-5 pb-5">{children}</div>
          {footer && <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** What had the focus when the window was opened, before anything in it could take the focus. */
function useOpener(open: boolean): HTMLElement | null {
  const [seen, see] = useState<{ open: boolean; opener: HTMLElement | null }>({ open: false, opener: null })
  if (open !== seen.open) see({ open, opener: open ? openerOf(document.activeElement) : seen.opener })
  return seen.opener
}

/** What opened a window: what had the focus, or for an entry of a menu, which goes with it, the button of that menu. */
function openerOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = button ? document.getElementById(button) : active
  return opener instanceof HTMLElement && opener !== document.body ? opener : null
}

/** Gives the focus back unless it was taken elsewhere; to the page where the opener has gone or was switched off. */
function giveBack(opener: HTMLElement | null): void {
  if (document.activeElement !== document.body) return
  opener?.focus()
  if (document.activeElement === document.body) document.querySelector('main')?.focus()
}

/** A window with a form: what was typed is not lost by a slip of the mouse or a key. */
export function FormDialog({ dirty, ...rest }: FormDialogProps) {
  const w = useWords(words)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Dialog {...rest} onOpenChange={(open) => (dirty && !open ? setAsking(true) : rest.onOpenChange(open))} />
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={w.discardTitle}
        description={w.discardText}
        dismiss={w.goOn}
        confirm={w.discard}
        danger
        onConfirm={() => {
          setAsking(false)
          rest.onOpenChange(false)
        }}
      />
    </>
  )
}

interface ConfirmDialogProps extends Omit<DialogProps, 'footer'> {
  confirm: string
  /** What leaving everything as it is is called, where "Cancel" would be taken for the deed. */
  dismiss?: string
  onConfirm: () => void
  danger?: boolean
  busy?: boolean
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ confirm, dismiss, onConfirm, danger, busy, ...rest }: ConfirmDialogProps) {
  const w = useWords(words)
  return (
    <Dialog
      size="small"
      {...rest}
      footer={
        <>
          <Button onClick={() => rest.onOpenChange(false)}>{dismiss ?? w.cancel}</Button>
          <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    />
  )
}
