import type { JsonSchema } from '../api/types'

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
