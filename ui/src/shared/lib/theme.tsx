import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { useMedia } from './media'
import { readStored, writeStored } from './stored'

export type Theme = 'system' | 'light' | 'dark'

interface Choice {
  theme: Theme
  /** What is shown: `system` resolved to what the system prefers now. */
  shown: 'light' | 'dark'
  setTheme: (theme: Theme) => void
}

const ThemeContext = createContext<Choice>({ theme: 'system', shown: 'light', setTheme: () => {} })

function storedTheme(): Theme {
  const stored = readStored('theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function ThemeProvider({ children }: { children: ReactNode }) {
  const [theme, choose] = useState<Theme>(storedTheme)
  const dark = useMedia('(prefers-color-scheme: dark)')
  const shown = theme === 'system' ? (dark ? 'dark' : 'light') : theme
  useEffect(() => {
    document.documentElement.dataset['theme'] = shown
  }, [shown])
  const setTheme = useCallback((next: Theme) => {
    writeStored('theme', next === 'system' ? null : next)
    choose(next)
  }, [])
  const value = useMemo(() => ({ theme, shown, setTheme }), [theme, shown, setTheme])
  return <ThemeContext value={value}>{children}</ThemeContext>
}

/** The chosen theme and the way to choose another. */
export function useTheme(): Choice {
  return useContext(ThemeContext)
}
