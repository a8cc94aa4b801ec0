import type { JsonSchema } from '../api/types'
import { isRecord } from './values'

/** A small value that fits a schema well enough to show how a call looks: required members only. */
export function exampleValue(schema: JsonSchema, depth = 0): unknown {
  if (typeof schema === 'boolean') return {}
  if (schema['default'] !== undefined) return schema['default']
  if (Array.isArray(schema['examples']) && schema['examples'].length > 0) return schema['examples'][0]
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (schema['const'] !== undefined) return schema['const']
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (type === 'object' || schema['properties']) return depth > 4 ? {} : exampleObject(schema, depth)
  if (type === 'array') return []
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return exampleNumber(schema)
  if (type === 'boolean') return true
  return null
}

function exampleObject(schema: Record<string, unknown>, depth: number): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
  return Object.fromEntries(required.map((name) => [name, exampleValue(properties[name] ?? true, depth + 1)]))
}

function exampleNumber(schema: Record<string, unknown>): number {
  if (typeof schema['minimum'] === 'number') return schema['minimum']
  if (typeof schema['exclusiveMinimum'] === 'number') return schema['exclusiveMinimum'] + 1
  return 1
}

/** An input to begin with: what the schema itself sets, and no for a yes or no. An example is no value to send. */
export function presetValue(schema: JsonSchema | null | undefined): Record<string, unknown> {
  return Object.fromEntries(requiredOf(schema).flatMap(([name, member]) => {
    if (!isRecord(member)) return []
    const value = member['default'] ?? member['const'] ?? (member['type'] === 'boolean' ? false : undefined)
    return value === undefined ? [] : [[name, value]]
  }))
}

/** Whether a value has every member that the schema asks for. */
export function isComplete(schema: JsonSchema | null | undefined, value: unknown): boolean {
  return isRecord(value) && requiredOf(schema).every(([name]) => value[name] !== undefined)
}

function requiredOf(schema: JsonSchema | null | undefined): [string, unknown][] {
  if (!isRecord(schema) || !Array.isArray(schema['required'])) return []
  const members = isRecord(schema['properties']) ? schema['properties'] : {}
  return (schema['required'] as string[]).map((name) => [name, members[name]])
}
