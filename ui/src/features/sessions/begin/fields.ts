/** The inputs that a plain form can hold: an object whose members are texts, numbers, yes or no, or one of a few texts. */
import type { JsonSchema } from '../../../shared/api/types'
import { apart, memberText } from '../../../shared/lib/apart'
import { isRecord } from '../../../shared/lib/values'

export interface FormField {
  readonly name: string
  readonly kind: 'text' | 'number' | 'flag' | 'choice'
  readonly title: string
  readonly hint: string
  readonly required: boolean
  readonly choices: readonly string[]
}

const KINDS: Readonly<Record<string, FormField['kind']>> = { string: 'text', number: 'number', integer: 'number', boolean: 'flag' }

/** The fields of a schema, or nothing when a plain form cannot hold all that it permits. */
export function fieldsOf(schema: JsonSchema | null | undefined): FormField[] | undefined {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return undefined
  if (['allOf', 'anyOf', 'oneOf', '$ref', 'if', 'patternProperties'].some((keyword) => keyword in schema)) return undefined
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const fields = Object.entries(schema['properties']).map(([name, member]) => fieldOf(name, member, required.includes(name)))
  if (fields.length === 0 || !fields.every((field) => field !== undefined)) return undefined
  const titles = apart(fields, ({ title }) => title, ({ name }) => name, Infinity)
  return fields.map((field, at) => ({ ...field, title: titles[at] ?? field.title }))
}

function fieldOf(name: string, member: unknown, required: boolean): FormField | undefined {
  if (!isRecord(member)) return undefined
  const list: unknown[] = Array.isArray(member['enum']) ? member['enum'] : []
  const choices = list.filter((choice) => typeof choice === 'string' && choice !== '') as string[]
  const kind = list.length > 0 ? (choices.length === list.length ? 'choice' : undefined) : KINDS[String(member['type'])]
  if (!kind) return undefined
  const { title, description } = member
  return { name, kind, required, choices, title: memberText(name, title), hint: typeof description === 'string' ? description : '' }
}
