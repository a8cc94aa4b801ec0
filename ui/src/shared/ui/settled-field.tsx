import { useEffect, useEffectEvent, useState } from 'react'
import { useSettled } from '../lib/settled'
import { TextField } from './fields'

interface SettledFieldProps {
  label: string
  placeholder?: string
  /** What else is to be known, on hovering. */
  title?: string
  value: string
  /** Called once nothing more is typed for a moment. */
  onChange: (value: string) => void
  type?: 'text' | 'search' | 'number'
  className?: string
}

/** A text that counts once nothing more is typed, such as a filter. */
export function SettledField({ label, placeholder, title, value, onChange, type = 'text', className }: SettledFieldProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    // Somebody else says something now, such as a press that clears all filters.
    setKnown(value)
    setTyped(value)
  }
  const settled = useSettled(typed, 300).trim()
  const tell = useEffectEvent((text: string) => {
    if (text !== value && text === typed.trim()) onChange(text)
  })
  useEffect(() => tell(settled), [settled])
  return <TextField type={type} aria-label={label} placeholder={placeholder ?? label} title={title} className={className} value={typed} onChange={(event) => setTyped(event.target.value)} />
}
