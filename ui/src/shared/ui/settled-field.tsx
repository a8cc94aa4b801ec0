import { useEffect, useEffectEvent, useId, useState } from 'react'
import { classes } from '../lib/classes'
import { useWords } from '../lib/i18n'
import { TextField } from './fields'
import { words } from './words'

interface SettledFieldProps {
  label: string
  placeholder?: string
  /** What else is to be known, on hovering. */
  title?: string
  value: string
  /** Called once nothing more is typed for a moment. */
  onChange: (value: string) => void
  /** `digits` is a whole number; what is none is said to be none, and the last that was one counts. */
  type?: 'text' | 'search' | 'digits'
  className?: string
}

/** A text that counts once nothing more is typed, such as a filter. */
export function SettledField({ label, placeholder, title, value, onChange, type = 'text', className }: SettledFieldProps) {
  const w = useWords(words)
  const id = useId()
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
  const text = type === 'digits' ? typed.normalize('NFKC').trim() : typed.trim()
  const wrong = type === 'digits' && /[^0-9]/.test(text)
  const tell = useEffectEvent(() => {
    if (wrong || text === value) return
    setTold(text)
    onChange(text)
  })
  useEffect(() => {
    const timer = setTimeout(() => tell(), 300)
    return () => clearTimeout(timer)
  }, [typed])
  const kind = type === 'digits' ? ({ inputMode: 'numeric', 'aria-invalid': wrong || undefined, 'aria-describedby': wrong ? id : undefined } as const) : { type }
  return (
    <div className={classes('relative w-full', className)}>
      <TextField {...kind} aria-label={label} placeholder={placeholder ?? label} title={title} value={typed} onChange={(event) => setTyped(event.target.value)} />
      {wrong && <p id={id} className="absolute top-full left-0 z-10 mt-1 rounded-md border border-line bg-raised px-2 py-1 text-xs whitespace-nowrap text-bad-text shadow-pop">{w.wholeOnly}</p>}
    </div>
  )
}
