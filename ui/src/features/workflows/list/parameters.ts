import type { components } from '../../../shared/api/schema'
import { holdsDraft, numberFrom, readJson, writeJson } from '../../../shared/lib/values'

export type Parameter = components['schemas']['Parameter']

/** The text that a parameter's field begins with. */
export function startValue({ type, default: value }: Parameter): string {
  if (value === undefined || value === null) return type === 'boolean' ? 'false' : ''
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('\n')
  return typeof value === 'string' ? value : writeJson(value, 2)
}

/** What was typed, as the template takes it: nothing for an empty field, an error for what cannot be read. */
export function valueOf({ type }: Parameter, text: string): unknown {
  const plain = text.trim()
  if (plain === '') return undefined
  if (type === 'string') return text
  if (type === 'boolean') return plain === 'true'
  if (type === 'number') return holdsDraft(numberFrom(plain)) ? new Error('number') : numberFrom(plain)
  if (type === 'list' && !plain.startsWith('[')) return text.split('\n').map((line) => line.trim()).filter((line) => line !== '')
  try {
    return readJson(text) as unknown
  } catch {
    return new Error('json')
  }
}

/** Whether a template can be used with this. */
export function isReady(parameter: Parameter, text: string): boolean {
  const value = valueOf(parameter, text)
  return !(value instanceof Error) && !(parameter.required && value === undefined)
}
