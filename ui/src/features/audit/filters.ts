/** Which entries are shown. The filters live in the address, so that a view can be shared and reloaded. */
import type { Entry } from './api'

export const KINDS = ['call', 'change', 'refusal', 'lost', 'trim'] as const
export type Kind = (typeof KINDS)[number]

export interface Filters {
  readonly kind?: Kind
  readonly who?: string
  readonly subject?: string
}

/** The filters of an address; what makes no sense is left out. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const text = (key: string) => {
    const value = search[key]
    return value === undefined || value === null || value === '' ? undefined : String(value)
  }
  const [who, subject] = [text('who'), text('subject')]
  const kind = KINDS.find((one) => one === search['kind'])
  return { ...(kind && { kind }), ...(who && { who }), ...(subject && { subject }) }
}

export type Outcome = { readonly tone: 'good' | 'bad' | 'warn'; readonly text: string }

/** How something ended: the status of a change, the outcome of a call, how many entries were lost. */
export function outcomeOf({ kind, details }: Pick<Entry, 'kind' | 'details'>): Outcome | undefined {
  if (kind === 'lost') return { tone: 'bad', text: String(details?.['entries'] ?? '') }
  const status = details?.['status']
  if (typeof status === 'number') return { tone: status < 400 ? 'good' : 'bad', text: String(status) }
  const outcome = details?.['outcome']
  if (typeof outcome !== 'string') return undefined
  return { tone: outcome === 'OK' ? 'good' : outcome === 'CANCELLED' ? 'warn' : 'bad', text: outcome }
}

/** What was done: the method of a change or of a call. */
export function methodOf({ details }: Pick<Entry, 'details'>): string {
  const method = details?.['method']
  return typeof method === 'string' ? method : ''
}

/** Entries of several answers as one list, each once. */
export function unique(pages: readonly (readonly Entry[])[]): Entry[] {
  return [...new Map(pages.flat().map((entry) => [entry.number, entry])).values()]
}
