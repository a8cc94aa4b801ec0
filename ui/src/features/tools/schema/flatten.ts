/**
 * A schema without `$ref` and `allOf`: one level of it, merged. Members stay as they are and are flattened
 * when somebody looks at them, so that a schema may contain itself.
 */
import { emptyObject, isObject, type Json, type JsonObject } from '../../../shared/lib/json'
import { CONDITIONS, UNSHOWABLE, isSchema, merge, type Schema } from './merge'

/** Finds what a `$ref` names. */
export type Resolve = (ref: string) => Schema | undefined

const CONDITION_KEYS = ['if', 'then', 'else']

/** The schema itself, with everything that it refers to at its own level. */
export function flatten(schema: Schema, resolve: Resolve, refsAlone: boolean, seen: readonly string[] = []): Schema {
  if (typeof schema === 'boolean') return schema
  let flat: Schema = own(schema)
  const ref = schema['$ref'] ?? schema['$dynamicRef'] ?? schema['$recursiveRef']
  if (typeof ref === 'string') {
    if (seen.includes(ref)) return unshowable()
    const target = resolve(ref)
    if (target === undefined) return unshowable()
    const named = flatten(target, resolve, refsAlone, [...seen, ref])
    flat = merge(refsAlone ? described(schema) : flat, named)
    if (refsAlone) return flat
  }
  const parts = schema['allOf']
  if (Array.isArray(parts)) {
    for (const part of parts) {
      if (isSchema(part)) flat = merge(flat, flatten(part, resolve, refsAlone, seen))
    }
  }
  return flat
}

function unshowable(): Schema {
  const out = emptyObject()
  out[UNSHOWABLE] = true
  return out
}

/** The keywords that stand in the schema itself, its condition as a list of one. */
function own(schema: JsonObject): JsonObject {
  const out = emptyObject()
  for (const [key, value] of Object.entries(schema)) {
    if (['$ref', '$dynamicRef', '$recursiveRef', 'allOf', ...CONDITION_KEYS].includes(key)) continue
    out[key] = value
  }
  if (isSchema(schema['if'])) {
    const condition = emptyObject()
    for (const key of CONDITION_KEYS) if (isSchema(schema[key])) condition[key] = schema[key] as Json
    out[CONDITIONS] = [condition]
  }
  return out
}

/** Before 2019-09 the neighbours of a `$ref` say nothing to a validator; people may still read them. */
function described(schema: JsonObject): JsonObject {
  const out = emptyObject()
  for (const key of ['title', 'description', 'default', 'examples', 'deprecated']) {
    const value = schema[key]
    if (value !== undefined) out[key] = value
  }
  return out
}

/** What a JSON pointer such as `#/$defs/node` leads to. */
export function follow(root: Json, fragment: string): Json | undefined {
  let at: Json | undefined = root
  for (const part of fragment.split('/').slice(1)) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = at[Number(key)]
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key]
    else return undefined
  }
  return at
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
