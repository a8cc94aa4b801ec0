import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { readStored, writeStored } from './stored'
import { alone } from './turning'

export type Language = 'en' | 'ja'

type Word = string | ((...values: never[]) => string)
type Same<T> = { [K in keyof T]: T[K] extends (...values: infer V) => string ? (...values: V) => string : string }

/** The words of one feature in both languages, with the same keys in both. */
export interface Dictionary<T> {
  en: T
  ja: Same<T>
}

/** Declares the words of a feature; the compiler refuses a key that one of the languages lacks. */
export function dictionary<T extends Record<string, Word>>(words: { en: T; ja: NoInfer<Same<T>> }): Dictionary<T> {
  return { en: steadied(words.en), ja: steadied(words.ja) }
}

/** The same words, whose sentences no name that is put into them can turn around. */
function steadied<T extends Record<string, Word>>(words: T): T {
  const steady = (word: Word): Word =>
    typeof word === 'string' ? word : (...values: unknown[]) => (word as (...all: unknown[]) => string)(...values.map((value) => (typeof value === 'string' ? alone(value) : value)))
  return Object.fromEntries(Object.entries(words).map(([key, word]) => [key, steady(word)])) as T
}

interface Choice {
  language: Language
  setLanguage: (language: Language) => void
}

const LanguageContext = createContext<Choice>({ language: 'en', setLanguage: () => {} })

/** The language to begin with: what was chosen before, else what the browser prefers. */
export function initialLanguage(stored: string | null, preferred: readonly string[]): Language {
  if (stored === 'en' || stored === 'ja') return stored
  for (const tag of preferred) {
    if (tag.toLowerCase().startsWith('ja')) return 'ja'
    if (tag.toLowerCase().startsWith('en')) return 'en'
  }
  return 'en'
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState<Language>(() => initialLanguage(readStored('language'), navigator.languages))
  const setLanguage = useCallback((next: Language) => {
    writeStored('language', next)
    choose(next)
  }, [])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const value = useMemo(() => ({ language, setLanguage }), [language, setLanguage])
  return <LanguageContext value={value}>{children}</LanguageContext>
}

/** The chosen language and the way to choose another. */
export function useLanguage(): Choice {
  return useContext(LanguageContext)
}

/** The words of a feature in the language that the page has at the moment, for what is no component. */
export function wordsNow<T>(words: Dictionary<T>): Same<T> {
  return document.documentElement?.lang === 'ja' ? words.ja : (words.en as Same<T>)
}

/** The words of a feature in the chosen language. */
export function useWords<T>(words: Dictionary<T>): Same<T> {
  const { language } = useLanguage()
  return language === 'ja' ? words.ja : (words.en as Same<T>)
}
