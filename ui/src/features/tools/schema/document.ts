/**
 * A whole schema: gives the shape of each of its parts, tells which variant a value is, makes the first
 * value of a form, and checks values without `eval`.
 */
import { dereference, validate, type OutputUnit, type Schema as PlainSchema, type SchemaDraft } from '@cfworker/json-schema'
import { flatten, follow } from './flatten'
import { emptyObject, equal, isObject, NumberText, toPlain, type Json, type JsonObject } from '../../../shared/lib/json'
import { CONDITIONS, isSchema, merge, type Schema } from './merge'
import { best } from './problems'
import { optionOf, shapeOf, type Shape, type Variant } from './shape'
import { Draft, isValueObject, settle, type Value } from './value'

const INITIAL_DEPTH = 8
/** How JSON begins that nobody types into a field for a number. */
const NO_NUMBER = /^\s*[[{"]/

export class SchemaDocument {
  readonly draft: SchemaDraft
  readonly #flat = new WeakMap<JsonObject, Schema>()
  readonly #shapes = new WeakMap<JsonObject, Shape>()
  readonly #plain = new WeakMap<JsonObject, PlainSchema>()
  readonly #named = new Map<string, Schema>()
  #lookup: Record<string, PlainSchema | boolean> | undefined

  constructor(readonly root: Schema) {
    this.draft = draftOf(root)
    collect(root, this.#named)
  }

  /** The schema without references and `allOf` at its own level. */
  flat(schema: Schema): Schema {
    if (typeof schema === 'boolean') return schema
    const known = this.#flat.get(schema)
    if (known !== undefined) return known
    const flat = flatten(schema, (ref) => this.resolve(ref), this.draft === '7' || this.draft === '4')
    this.#flat.set(schema, flat)
    return flat
  }

  resolve(ref: string): Schema | undefined {
    if (ref === '#') return this.root
    const found = ref.startsWith('#/') && isObject(this.root) ? follow(this.root, ref.slice(1)) : this.#named.get(ref)
    return isSchema(found) ? found : undefined
  }

  /** The shape of a schema, and of what its conditions add for this value. */
  shape(schema: Schema, value?: Value): Shape {
    const flat = this.flat(schema)
    if (typeof flat === 'boolean') return shapeOf(flat, (one) => this.flat(one))
    const conditional = this.#conditional(flat, value)
    if (conditional !== flat) return shapeOf(conditional, (one) => this.flat(one))
    const known = this.#shapes.get(flat) ?? shapeOf(flat, (one) => this.flat(one))
    this.#shapes.set(flat, known)
    return known
  }

  #conditional(flat: JsonObject, value: Value | undefined): Schema {
    let out: Schema = flat
    for (const condition of Array.isArray(flat[CONDITIONS]) ? flat[CONDITIONS] : []) {
      if (!isObject(condition) || !isSchema(condition['if'])) continue
      const holds = this.fits(condition['if'], value ?? emptyObject())
      const then = condition[holds ? 'then' : 'else']
      if (isSchema(then)) out = merge(out, this.flat(then))
    }
    const dependent = flat['dependentSchemas']
    if (isObject(dependent) && isValueObject(value)) {
      for (const [key, schema] of Object.entries(dependent)) {
        if (Object.hasOwn(value, key) && isSchema(schema)) out = merge(out, this.flat(schema))
      }
    }
    return out === false ? flat : out
  }

  /** Whether a value keeps to a schema; false also when that cannot be told. */
  fits(schema: Schema, value: Value): boolean {
    try {
      return validate(toPlain(settle(value).json), this.#asPlain(schema), this.draft, this.#schemas(), true).valid
    } catch {
      return false
    }
  }

  /** What the whole schema has against a value; `undefined` when the schema itself cannot be read. */
  check(value: Value): OutputUnit[] | undefined {
    try {
      const { errors } = validate(toPlain(settle(value).json), this.#asPlain(this.root), this.draft, this.#schemas(), false)
      return best(errors)
    } catch {
      return undefined
    }
  }

  /** The limit that a keyword of the schema sets, found by the location that the validator gives. */
  limit(location: string): unknown {
    let at: unknown = this.#asPlain(this.root)
    for (const part of location.split('/').slice(1)) {
      if (typeof at !== 'object' || at === null) return undefined
      const ref: unknown = (at as Record<string, unknown>)['$ref']
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      if (key === '$ref' && typeof ref === 'string') {
        const target = this.resolve(ref)
        at = target === undefined ? undefined : this.#asPlain(target)
      } else at = (at as Record<string, unknown>)[key]
    }
    return at
  }

  #asPlain(schema: Schema): PlainSchema | boolean {
    if (typeof schema === 'boolean') return schema
    const known = this.#plain.get(schema) ?? (toPlain(schema) as PlainSchema)
    this.#plain.set(schema, known)
    return known
  }

  /** Everything that a `$ref` may name, also in schemas that were merged and have no address of their own. */
  #schemas(): Record<string, PlainSchema | boolean> {
    if (this.#lookup !== undefined) return this.#lookup
    const root = this.#asPlain(this.root)
    const lookup = dereference(root)
    for (const [address, schema] of Object.entries(lookup)) {
      const hash = address.indexOf('#')
      if (hash >= 0) lookup[decodeURI(address.slice(hash))] ??= schema
    }
    lookup['#'] = root
    this.#lookup = lookup
    return lookup
  }

  /** The variant that a value is: the first that it keeps to, else the one that is nearest. */
  variant(variants: readonly Variant[], value: Value | undefined): number {
    if (value === undefined) return 0
    // A draft keeps to no schema; as the text that it is it would be one for texts.
    const fitting = value instanceof Draft ? -1 : variants.findIndex((variant) => this.fits(variant.schema, value))
    if (fitting >= 0) return fitting
    const scores = variants.map((variant) => this.#nearness(variant.schema, value))
    return scores.indexOf(Math.max(...scores))
  }

  #nearness(schema: Schema, value: Value): number {
    const shape = this.shape(schema, value)
    if (!this.#offers(shape, value)) return -100
    if (shape.kind !== 'object' || !isValueObject(value)) return 1
    let score = 1
    for (const member of shape.members) {
      const item = Object.hasOwn(value, member.name) ? value[member.name] : undefined
      if (item === undefined) score -= member.required ? 0.5 : 0
      else if (this.shows(this.shape(member.schema, item), item)) score += 1
      else score -= 10
    }
    return score
  }

  /** Whether the form of a shape can show a value as it is. */
  shows(shape: Shape, value: Value | undefined): boolean {
    if (value === undefined) return true
    if (value === null) return shape.nullable || shape.kind === 'null' || shape.kind === 'json' || this.#isOption(shape, null)
    if (value instanceof Draft && shape.kind !== 'union') return shape.kind === 'number' || shape.kind === 'json'
    switch (shape.kind) {
      case 'string':
        // A text field would change a carriage return.
        return typeof value === 'string' && !value.includes('\r')
      case 'number':
        return typeof value === 'number' || value instanceof NumberText
      case 'boolean':
        return typeof value === 'boolean'
      case 'null':
        return false
      case 'choice':
      case 'const':
        return this.#isOption(shape, settle(value).json)
      case 'object':
        return isValueObject(value)
      case 'array':
      case 'tuple':
        return Array.isArray(value)
      case 'union':
        return shape.variants.some((variant) => this.#offers(this.shape(variant.schema, value), value))
      case 'json':
        return true
    }
  }

  /** Whether a shape is the one of several in which a value is shown: no number began as a list, an object or a text. */
  #offers(shape: Shape, value: Value): boolean {
    return this.shows(shape, value) && !(shape.kind === 'number' && value instanceof Draft && NO_NUMBER.test(value.text))
  }

  #isOption(shape: Shape, value: Json): boolean {
    if (shape.kind === 'const') return equal(shape.value, value)
    return shape.kind === 'choice' && optionOf(shape.options, value) >= 0
  }

  /** The first value of a form: defaults and constants that must be there, and what holds them. */
  initial(schema: Schema, depth = 0): Value | undefined {
    const shape = this.shape(schema)
    if (shape.default !== undefined) return shape.default
    if (shape.kind === 'const') return shape.value
    if (depth > INITIAL_DEPTH) return undefined
    if (shape.kind === 'union') return depth === 0 ? this.initial(shape.variants[0]?.schema ?? true, depth + 1) : undefined
    if (shape.kind !== 'object') return undefined
    const out = emptyObject() as Record<string, Value>
    for (const member of shape.members.filter((one) => one.required)) {
      const value = this.initial(member.schema, depth + 1)
      if (value !== undefined) out[member.name] = value
    }
    return out
  }

  /** The value that "set" gives to a field that has none: empty, or the first that there is. */
  empty(schema: Schema, depth = 0): Value {
    const shape = this.shape(schema)
    if (depth > INITIAL_DEPTH) return new Draft('')
    if (shape.kind === 'choice') return shape.options[0]?.value ?? null
    if (shape.kind === 'union') return this.empty(shape.variants[0]?.schema ?? true, depth + 1)
    const initial = this.initial(schema)
    if (initial !== undefined) return initial
    if (shape.kind === 'string') return ''
    if (shape.kind === 'boolean') return false
    if (shape.kind === 'number') return new Draft('')
    if (shape.kind === 'array') return []
    if (shape.kind === 'tuple') return shape.items.map((item) => this.empty(item, depth + 1))
    return shape.kind === 'json' ? new Draft('') : null
  }
}

function draftOf(root: Schema): SchemaDraft {
  const said = typeof root === 'object' && typeof root['$schema'] === 'string' ? root['$schema'] : ''
  if (said.includes('draft-07') || said.includes('draft-06')) return '7'
  if (said.includes('draft-04')) return '4'
  return said.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Schemas with a name of their own: `$id`, `$anchor` and `$dynamicAnchor`. */
function collect(schema: Json, into: Map<string, Schema>): void {
  if (Array.isArray(schema))
    schema.forEach((one) => {
      collect(one, into)
    })
  if (!isObject(schema)) return
  const id = schema['$id']
  if (typeof id === 'string') into.set(id, schema)
  for (const key of ['$anchor', '$dynamicAnchor']) {
    const name = schema[key]
    if (typeof name === 'string') into.set(`#${name}`, schema)
  }
  for (const [key, value] of Object.entries(schema)) {
    if (!['enum', 'const', 'default', 'examples'].includes(key)) collect(value, into)
  }
}
