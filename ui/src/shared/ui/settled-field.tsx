import { useEffect, useEffectEvent, useState } from 'react'
import { TextField } from './fields'

interface SettledFieldProps {
  label: string
  placeholder?: string
  /** What else is to be known, on hovering. */
  title?: string
  value: string
  /** Called once nothing more is typed for a moment. */
  onChange: (value: string) => void
  /** `digits` is a whole number; what is none counts as nothing. */
  type?: 'text' | 'search' | 'digits'
  className?: string
}

/** A text that counts once nothing more is typed, such as a filter. */
export function SettledField({ label, placeholder, title, value, onChange, type = 'text', className }: SettledFieldProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  const [told, setTold] = useState<string>()
  if (known !== value) {
    setKnown(value)
    // Somebody else says something now, such as a press that clears all filters. What was told from here comes back
    // without the blanks around it, and when more may have been typed.
    if (value !== told) {
      setTold(undefined)
      setTyped(value)
    }
  }
  const wrong = type === 'digits' && /[^0-9]/.test(typed.trim())
  const tell = useEffectEvent(() => {
    const text = wrong ? '' : typed.trim()
    if (text === value) return
    setTold(text)
    onChange(text)
  })
  useEffect(() => {
    const timer = setTimeout(() => tell(), 300)
    return () => clearTimeout(timer)
  }, [typed])
  const kind = type === 'digits' ? { inputMode: 'numeric' as const, 'aria-invalid': wrong || undefined } : { type }
  return <TextField {...kind} aria-label={label} placeholder={placeholder ?? label} title={title} className={className} value={typed} onChange={(event) => setTyped(event.target.value)} />
}
