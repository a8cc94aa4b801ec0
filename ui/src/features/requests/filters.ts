/** Which requests are shown. The filters live in the address, so that a view can be shared and reloaded. */
import type { RequestView } from './api'

export const WAYS = ['rest', 'http', 'sse', 'stdio'] as const
export const OUTCOMES = ['ok', 'error'] as const

export interface Filters {
  readonly text?: string
  readonly server?: string
  readonly way?: string
  /** `ok`, `error` for all that failed, or one code. */
  readonly outcome?: string
  /** At least so many milliseconds. */
  readonly slower?: string
}

const KEYS = ['text', 'server', 'way', 'outcome', 'slower'] as const

/** The filters of an address; what makes no sense is left out. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const pairs = KEYS.flatMap((key) => {
    const value = search[key]
    const text = value === undefined || value === null ? '' : String(value)
    const isSense = key === 'slower' ? /^\d+$/.test(text) : key === 'way' ? WAYS.some((way) => way === text) : text !== ''
    return isSense ? [[key, text] as const] : []
  })
  return Object.fromEntries(pairs)
}

/** How a request ended, as a colour. */
export function toneOf({ outcome }: Pick<RequestView, 'outcome'>): 'good' | 'bad' | 'warn' {
  if (outcome === 'ok') return 'good'
  return outcome === 'CANCELLED' ? 'warn' : 'bad'
}

/** Requests of several answers as one list, each once. */
export function unique(pages: readonly { readonly requests: readonly RequestView[] }[]): RequestView[] {
  return [...new Map(pages.flatMap(({ requests }) => requests).map((one) => [one.id, one])).values()]
}
