import type { Language } from './i18n'
import { alone, turns } from './turning'

const SIZES = [86_400, 3600, 60, 1] as const
const UNITS = { en: ['d', 'h', 'min', 's'], ja: ['日', '時間', '分', '秒'] } as const

/** A time span in the unit that reads best: `0.4 ms`, `12 ms`, `1.5 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function formatDuration(milliseconds: number, language: Language): string {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return '–'
  if (milliseconds < 1) return `${trim(milliseconds, 2)} ms`
  if (milliseconds < 10) return `${trim(milliseconds, 1)} ms`
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${trim(seconds, seconds < 10 ? 1 : 0)} ${UNITS[language][3]}`
  return formatLong(Math.round(seconds), language)
}

function formatLong(seconds: number, language: Language): string {
  const units = SIZES.map((size, at) => [size, UNITS[language][at]] as const)
  const first = units.findIndex(([size]) => seconds >= size)
  return units
    .slice(first, first + 2)
    .map(([size, unit], at) => [Math.floor((at === 0 ? seconds : seconds % (units[first]?.[0] ?? 1)) / size), unit] as const)
    .filter(([count], at) => at === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)))
}

/** A count with the separators of the language. */
export function formatCount(value: number, language: string): string {
  return new Intl.NumberFormat(language).format(value)
}

/** A number of bytes: `312 B`, `4.2 KB`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${trim(bytes / 1000, 1)} KB`
  return `${trim(bytes / 1_000_000, 1)} MB`
}

/** A share of a whole: `0 %`, `0.4 %`, `12 %`. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return '0 %'
  const percent = (part / whole) * 100
  return `${percent > 0 && percent < 10 ? trim(percent, 1) : Math.round(percent)} %`
}

/** A moment in the words of the language: the time today, with the date on other days, and the year in other years. */
export function formatMoment(at: number, language: string, now = Date.now()): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString()
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  const day: Intl.DateTimeFormatOptions = sameDay ? {} : { month: 'short', day: 'numeric', ...(!sameYear && { year: 'numeric' }) }
  return new Intl.DateTimeFormat(language, { ...day, ...time }).format(at)
}

/** A sentence in which a name that turns what stands around it turns nothing but itself. */
export function isolated(sentence: string, names: readonly string[]): string {
  const turning = new Set(names.filter(turns))
  return [...turning].reduce((text, name) => text.replaceAll(name, () => alone(name)), sentence)
}
