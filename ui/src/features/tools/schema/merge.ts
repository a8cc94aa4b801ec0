/**
 * Two schemas as one that asks for both. The result is for showing a form; what it cannot say exactly is
 * left to the validator, which always sees the schema as the server wrote it.
 */
import { NumberText, emptyObject, equal, isObject, type Json, type JsonObject } from '../../../shared/lib/json'

export type Schema = JsonObject | boolean

/** One `if`, with what follows from it. A merged schema may have several. */
export interface Condition {
  if: Schema
  then?: Schema
  else?: Schema
}

/** The key under which a flat schema keeps its conditions, as a list. */
export const CONDITIONS = '\u0000conditions'

/** The key of a schema that no form can show. */
export const UNSHOWABLE = '\u0000unshowable'

/** The key under which a branch of a choice keeps how many choices stand above it at the same place. */
export const LEVEL = '\u0000level'

const VARIANTS_MAX = 24

/** Whether a JSON value can be a schema. */
export function isSchema(value: Json | undefined): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/** A schema that asks for `a` and `b`. Where both only describe, `a` is heard. */
export function merge(a: Schema, b: Schema): Schema {
  if (a === false || b === false) return false
  if (a === true) return b
  if (b === true) return a
  const out = emptyObject()
  for (const [key, value] of Object.entries(a)) out[key] = value
  for (const [key, value] of Object.entries(b)) {
    const old = a[key]
    const both = old === undefined ? value : (RULES[key] ?? keepFirst)(old, value)
    if (both === undefined) return false
    out[key] = both
  }
  return out
}

type Rule = (a: Json, b: Json) => Json | undefined

const keepFirst: Rule = (a) => a
const both: Rule = (a, b) => (equal(a, b) ? a : allOf(a, b))
const larger: Rule = (a, b) => (size(a) >= size(b) ? a : b)
const smaller: Rule = (a, b) => (size(a) <= size(b) ? a : b)
const either: Rule = (a, b) => a === true || b === true

const RULES: Record<string, Rule> = {
  type: types,
  const: (a, b) => (equal(a, b) ? a : undefined),
  enum: options,
  required: union,
  properties: mapped,
  patternProperties: mapped,
  dependentSchemas: mapped,
  $defs: mapped,
  definitions: mapped,
  additionalProperties: strict,
  unevaluatedProperties: strict,
  additionalItems: strict,
  unevaluatedItems: strict,
  propertyNames: both,
  items: both,
  contains: both,
  prefixItems: pairwise,
  oneOf: product,
  anyOf: product,
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  uniqueItems: either,
  deprecated: either,
  writeOnly: either,
  [CONDITIONS]: (a, b) => [...list(a), ...list(b)],
  [UNSHOWABLE]: either,
  [LEVEL]: larger,
}

function size(value: Json): number {
  return value instanceof NumberText ? Number(value.text) : Number(value)
}

function list(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}

function allOf(...schemas: Json[]): JsonObject {
  const out = emptyObject()
  out['allOf'] = schemas
  return out
}

/** The types that both allow; an integer is a number. */
function types(a: Json, b: Json): Json | undefined {
  const [left, right] = [list(a), list(b)]
  const common = left.flatMap((type) => {
    if (right.includes(type)) return [type]
    if (type === 'number' && right.includes('integer')) return ['integer']
    if (type === 'integer' && right.includes('number')) return ['integer']
    return []
  })
  if (common.length === 0) return undefined
  return common.length === 1 ? common[0] : common
}

function options(a: Json, b: Json): Json | undefined {
  const common = list(a).filter((one) => list(b).some((other) => equal(one, other)))
  return common.length > 0 ? common : undefined
}

function union(a: Json, b: Json): Json {
  return [...new Set([...list(a), ...list(b)])]
}

function mapped(a: Json, b: Json): Json {
  if (!isObject(a) || !isObject(b)) return a
  const out = emptyObject()
  for (const [key, value] of Object.entries(a)) out[key] = value
  for (const [key, value] of Object.entries(b)) {
    const old = a[key]
    out[key] = old === undefined ? value : (both(old, value) ?? value)
  }
  return out
}

/** What is forbidden by one is forbidden. */
function strict(a: Json, b: Json): Json {
  if (a === false || b === false) return false
  if (a === true) return b
  return b === true ? a : (both(a, b) ?? a)
}

function pairwise(a: Json, b: Json): Json {
  const [left, right] = [list(a), list(b)]
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const [one, other] = [left[i], right[i]]
    if (one === undefined || other === undefined) return one ?? other ?? true
    return both(one, other) ?? one
  })
}

/** Two choices are one choice of pairs, as long as there are not too many. */
function product(a: Json, b: Json): Json {
  const pairs = list(a).flatMap((one) => list(b).map((other) => allOf(one, other)))
  if (pairs.length <= VARIANTS_MAX) return pairs
  const out = emptyObject()
  out[UNSHOWABLE] = true
  return [out]
}
