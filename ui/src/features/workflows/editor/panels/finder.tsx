import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { classes } from '../../../../shared/lib/classes'
import { isComposing } from '../../../../shared/lib/composing'
import { useWords } from '../../../../shared/lib/i18n'
import { Icon, type IconName, TextField } from '../../../../shared/ui'
import { words } from '../words'

export interface Found {
  readonly key: string
  readonly label: string
  readonly detail?: string
  readonly icon?: IconName
  /** Why it cannot be chosen. */
  readonly refused?: string | undefined
}

interface FinderProps {
  items: readonly Found[]
  label: string
  placeholder: string
  onPick: (key: string) => void
}

const MOST = 60

/** A list that narrows while one types; arrows and Enter choose. */
export function Finder({ items, label, placeholder, onPick }: FinderProps) {
  const w = useWords(words)
  const id = useId()
  const [text, setText] = useState('')
  const [wanted, setAt] = useState(0)
  const found = useMemo(() => {
    const needle = text.trim().toLowerCase()
    const hits = items.filter((item) => `${item.label} ${item.detail ?? ''} ${item.key}`.toLowerCase().includes(needle))
    return hits.slice(0, MOST)
  }, [items, text])
  const at = Math.min(wanted, found.length - 1)
  const pick = (item: Found | undefined) => item && !item.refused && onPick(item.key)
  const press = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((at + step + found.length) % Math.max(found.length, 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      pick(found[at])
    }
  }
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <TextField
        autoFocus
        role="combobox"
        aria-label={label}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        placeholder={placeholder}
        value={text}
        onChange={(event) => (setText(event.target.value), setAt(0))}
        onKeyDown={press}
      />
      {found.length === 0 && <p className="px-2 py-4 text-center text-[13px] text-muted">{w.nothingFound}</p>}
      <div id={id} role="listbox" aria-label={label} className={classes('max-h-72 overflow-auto', found.length === 0 && 'hidden')}>
        {found.map((item, index) => (
          <Option key={item.key} id={`${id}-${index}`} item={item} active={index === at} onPick={() => pick(item)} onHover={() => setAt(index)} />
        ))}
      </div>
    </div>
  )
}

interface OptionProps {
  id: string
  item: Found
  active: boolean
  onPick: () => void
  onHover: () => void
}

function Option({ id, item, active, onPick, onHover }: OptionProps) {
  return (
    // The keyboard is in the field above; the active descendant says where it stands.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      aria-disabled={item.refused !== undefined}
      ref={(element) => {
        if (active) element?.scrollIntoView({ block: 'nearest' })
      }}
      onClick={onPick}
      onMouseMove={onHover}
      className={classes('flex cursor-default items-center gap-2.5 rounded-md px-2 py-1.5', active && 'bg-hover')}
    >
      {item.icon && <Icon name={item.icon} size={16} className={item.refused ? 'text-faint' : 'text-accent-text'} />}
      <span className="min-w-0 flex-1">
        <span className={classes('block truncate text-[13px]', item.refused && 'text-faint')}>{item.label}</span>
        <span className="line-clamp-2 text-xs text-faint">{item.refused ?? item.detail}</span>
      </span>
    </div>
  )
}
