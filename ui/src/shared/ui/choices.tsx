import { classes } from '../lib/classes'

interface ChoicesProps<T extends string> {
  label: string
  /** Nothing while it is not known which one it is. */
  value: T | undefined
  options: readonly (readonly [T, string])[]
  onChange: (value: T) => void
}

/** A few choices, side by side. */
export function Choices<T extends string>({ label, value, options, onChange }: ChoicesProps<T>) {
  return (
    <div role="group" aria-label={label} className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => option !== value && onChange(option)}
          className={classes('rounded px-2.5 py-0.5 text-xs', option === value ? 'bg-surface font-medium text-ink shadow-card' : 'text-muted hover:text-ink')}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
