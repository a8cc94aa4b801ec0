/**
 * JSON values as the app carries them. They are plain JavaScript values, but for a number whose digits JavaScript
 * would change, such as `9007199254740993`: that one stays a `NumberText`, from the gateway to the editor and back.
 */
import { Draft, format, fromPlain, isNumberText, isObject, numberOf, NumberText, readWith } from './json'

/** Sixteen digits or more, or an exponent of three: only such numbers can lose something. */
const LONG_NUMBER = /\d(?:\.?\d){15}|[eE][+-]?\d{3}/

/** Reads as `JSON.parse` does, with its errors, and keeps every digit. */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!LONG_NUMBER.test(text)) return value
  try {
    return readWith(text, readNumber)
  } catch {
    // Nested deeper than the exact reader goes.
    return value
  }
}

/** Writes as `JSON.stringify` does, with the digits that were read. */
export function writeJson(value: unknown, indent = 0): string {
  if (!holdsText(value)) return JSON.stringify(value, null, indent)
  return format(fromPlain(value), indent)
}

function holdsText(value: unknown): boolean {
  if (value instanceof NumberText) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(holdsText)
}

/** A number as it was typed: a JavaScript number where that says the same. The text must be a number. */
export function readNumber(text: string): number | NumberText {
  const number = Number(text)
  return Number.isFinite(number) && digitsOf(text) === digitsOf(String(number)) ? number : new NumberText(text)
}

/** What was typed into a number field: nothing, a number, or a draft of one. */
export function numberFrom(text: string): number | NumberText | Draft | undefined {
  const plain = tidied(text)
  if (plain === '') return undefined
  return isNumberText(plain) ? numberOf(plain) : new Draft(text)
}

/** A number as JSON writes it, from one as people do: `.5`, `5.`, `+5`, `05`, or in the wide letters of Japanese keyboards. */
function tidied(text: string): string {
  const plain = text.normalize('NFKC').replaceAll(/[−ー]/g, '-').trim()
  return plain.replace(/^\+(?=[\d.])/, '').replace(/^(-?)0+(?=\d)/, '$1').replace(/^-?(?=\.\d)/, '$&0').replace(/(?<=\d)\.(?=[eE]|$)/, '')
}

/** A number that can be sent: one that JavaScript cannot hold would be sent as null, and would say nothing. */
export const sendable = (number: number): number => Math.max(-Number.MAX_VALUE, Math.min(number, Number.MAX_VALUE))

/** What a field of one line shows: a draft as it was typed, and what is none of its kind, as others may have stored it, too. */
export function fieldText(value: unknown): string {
  if (value instanceof Draft) return value.text
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : writeJson(value)
}

/** Whether something in a value is still on its way to become a value. */
export function holdsDraft(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return value instanceof Draft || Object.values(value).some(holdsDraft)
}

/** A value without the members and items that are drafts. */
export function withoutDrafts<T>(value: T): T {
  if (!holdsDraft(value)) return value
  const whole = (one: unknown) => !(one instanceof Draft)
  if (Array.isArray(value)) return value.filter(whole).map(withoutDrafts) as T
  return Object.fromEntries(Object.entries(value as object).flatMap(([key, one]) => (whole(one) ? [[key, withoutDrafts(one)]] : []))) as T
}

/** Writes a value to be kept while it is edited. A member that is called as drafts are written gets one more `$`. */
export function keptJson(value: unknown, indent = 0): string {
  const marked = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(marked)
    return isRecord(one) ? Object.fromEntries(Object.entries(one).map(([key, item]) => [key.replace(/^\$+draft$/, '$$$&'), marked(item)])) : one
  }
  return writeJson(marked(value), indent)
}

/** A value that was kept while it was edited, with its drafts. */
export function withDrafts<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withDrafts) as T
  if (!isRecord(value)) return value
  const { $draft: text, ...rest } = value
  if (typeof text === 'string' && Object.keys(rest).length === 0) return new Draft(text) as T
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.replace(/^\$(\$+draft)$/, '$1'), withDrafts(one)])) as T
}

/** The digits that count and where the point stands, so that `1.50e2` and `150` are the same. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text.trim()) ?? []
  const all = (whole + part).replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  if (digits === '') return '0'
  return `${sign === '-' ? '-' : ''}${digits}e${Number(exponent) - part.length + all.length - digits.length}`
}

/** What a text of JSON says; `bad` when it says nothing valid. An empty text gives nothing. */
export function valueOf(text: string): { value?: unknown; bad?: true } {
  if (text.trim() === '') return {}
  try {
    return { value: readJson(text) }
  } catch {
    return { bad: true }
  }
}

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value)

/** The object that should stand there: an empty one where something else does. */
export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** The text that should stand there: an empty one where something else does. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Whether a value is a number, however long. */
export const isNumber = (value: unknown): value is number | NumberText => typeof value === 'number' || value instanceof NumberText
