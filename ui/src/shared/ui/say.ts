import { createContext, useContext } from 'react'

/** A short message at the lower right. */
export interface Note {
  id: number
  tone: 'good' | 'bad' | 'info'
  /** What happened; without it the error speaks for itself. */
  title?: string
  text?: string
  /** Why something failed: told in the language of the page. */
  error?: unknown
}

export type Show = (note: Omit<Note, 'id'>) => void

export const ToastContext = createContext<Show>(() => {})

/** Shows a short message: `toast({ tone: 'good', title: 'Saved' })`. */
export function useToast(): Show {
  return useContext(ToastContext)
}
