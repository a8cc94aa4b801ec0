/**
 * What a form shows for a schema: one shape per level. A shape names the schemas of its parts, which are
 * looked at when they are shown.
 */
import { apart, valueTexts } from '../../../shared/lib/apart'
import { equal, format, isObject, NumberText, type Json, type JsonObject } from '../../../shared/lib/json'
import { isSchema, LEVEL, merge, UNSHOWABLE, type Schema } from './merge'

/** What every shape has. */
export interface Facts {
  title?: string
  description?: string
  default?: Json
  examples: Json[]
  deprecated: boolean
  /** Whether null is a value of its own here. */
  nullable: boolean
}

export interface Option {
  value: Json
  label: string
  description?: string
}

export interface Member {
  name: string
  schema: Schema
  required: boolean
}

export interface Variant {
  label: string
  schema: Schema
}

export type Kind =
  | { kind: 'string'; format?: string; multiline: boolean; secret: boolean; base64: boolean; maxLength?: number }
  | { kind: 'number'; integer: boolean; min?: string; max?: string }
  | { kind: 'boolean' }
  | { kind: 'null' }
  | { kind: 'choice'; options: Option[] }
  | { kind: 'const'; value: Json }
  | { kind: 'object'; members: Member[]; rest: Schema }
  | { kind: 'array'; items: Schema; min: number; max: number }
  | { kind: 'tuple'; items: Schema[]; rest: Schema; min: number }
  | { kind: 'union'; variants: Variant[] }
  | { kind: 'json' }

export type Shape = Facts & Kind

/** The shape of a flat schema; `flat` makes schemas of branches flat. */
export function shapeOf(schema: Schema, flat: (schema: Schema) => Schema): Shape {
  if (typeof schema === 'boolean') return { kind: 'json', examples: [], deprecated: false, nullable: schema }
  if (schema[UNSHOWABLE] === true || levelOf(schema) > LEVELS_MAX) return { ...facts(schema, false), kind: 'json' }
  const chosen = schema['oneOf'] !== undefined ? 'oneOf' : 'anyOf'
  const branches = schema[chosen]
  if (Array.isArray(branches) && branches.length > 0 && schema['const'] === undefined && schema['enum'] === undefined) {
    return branching(schema, chosen, branches.filter(isSchema), flat)
  }
  return byType(schema)
}

/** A choice may be nested in a choice, but one that contains itself must end. */
const LEVELS_MAX = 4

function levelOf(schema: JsonObject): number {
  return numeric(schema[LEVEL]) ?? 0
}

function facts(schema: JsonObject, nullable: boolean): Facts {
  const text = (key: string) => (typeof schema[key] === 'string' ? schema[key] : undefined)
  const out: Facts = {
    examples: Array.isArray(schema['examples']) ? schema['examples'] : [],
    deprecated: schema['deprecated'] === true,
    nullable,
  }
  const [title, description] = [text('title'), text('description')]
  if (title !== undefined) out.title = title
  if (description !== undefined) out.description = description
  if (schema['default'] !== undefined) out.default = schema['default']
  return out
}

function without(schema: JsonObject, ...keys: string[]): JsonObject {
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)))) as JsonObject
}

function branching(schema: JsonObject, key: string, branches: Schema[], flat: (schema: Schema) => Schema): Shape {
  const base = without(schema, key)
  base[LEVEL] = levelOf(schema) + 1
  const whole = branches.map((branch) => flat(merge(base, flat(branch)))).filter((one) => one !== false)
  const isNull = (one: Schema) => typeof one === 'object' && one['type'] === 'null'
  const rest = whole.filter((one) => !isNull(one))
  const nullable = rest.length < whole.length
  const only = rest[0]
  if (only === undefined) return { ...facts(schema, false), kind: nullable ? 'null' : 'json' }
  if (rest.length === 1) {
    const shape = shapeOf(only, flat)
    return { ...shape, ...facts(merge(base, only) as JsonObject, nullable || shape.nullable) }
  }
  const options = rest.map(optionsOf)
  if (options.every((some) => some !== undefined)) {
    return { ...facts(base, nullable), kind: 'choice', options: labelled(options.flat()) }
  }
  // What the branches share is said once, above them.
  const told = without(base, 'title', 'description', 'default', 'examples', 'deprecated')
  const variants = branches
    .map((branch) => ({ branch: flat(branch), schema: flat(merge(told, flat(branch))) }))
    .filter((one) => one.schema !== false && !isNull(one.schema))
    .map((one, i) => ({ label: labelOf(one.branch, one.schema, i), schema: one.schema, place: `#${String(i + 1)}` }))
  const labels = apart(variants, ({ label }) => label, ({ place }) => place)
  return { ...facts(base, nullable), kind: 'union', variants: variants.map(({ schema: one }, i) => ({ label: labels[i] ?? '', schema: one })) }
}

/** The options of a branch that is nothing but a constant or a list of them. */
function optionsOf(schema: Schema): Titled[] | undefined {
  if (typeof schema === 'boolean') return undefined
  const value = schema['const']
  if (value !== undefined && !isObject(value)) {
    const option: Titled = { value }
    if (typeof schema['title'] === 'string') option.title = schema['title']
    if (typeof schema['description'] === 'string') option.description = schema['description']
    return [option]
  }
  const values = schema['enum']
  return Array.isArray(values) ? values.map((value) => ({ value })) : undefined
}

type Titled = Omit<Option, 'label'> & { title?: string }

/** The options with their titles, else their values; what reads alike is told apart by the values. */
function labelled(options: readonly Titled[]): Option[] {
  const texts = valueTexts(options.map(({ value }) => value))
  const named = options.map(({ title }, at) => ({ title: title ?? texts[at] ?? '', text: texts[at] ?? '' }))
  const labels = apart(named, ({ title }) => title, ({ text }) => text, Infinity)
  return options.map(({ value, description }, at) => ({ value, label: labels[at] ?? '', ...(description === undefined ? {} : { description }) }))
}

export function optionLabel(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : format(value)
}

/** A name for a branch: its title, what tells it apart, or its type. */
function labelOf(branch: Schema, whole: Schema, index: number): string {
  if (typeof whole === 'boolean') return `#${String(index + 1)}`
  const own = typeof branch === 'object' ? branch : whole
  if (typeof own['title'] === 'string') return own['title']
  if (isObject(own['properties'])) {
    for (const [name, schema] of Object.entries(own['properties'])) {
      if (!isObject(schema)) continue
      const one = schema['const'] ?? (Array.isArray(schema['enum']) && schema['enum'].length === 1 ? schema['enum'][0] : undefined)
      if (one !== undefined) return `${name}: ${optionLabel(one)}`
    }
  }
  if (whole['const'] !== undefined) return optionLabel(whole['const'])
  const type = whole['type'] ?? inferred(whole)
  const required = own['required']
  if (type === 'object' && Array.isArray(required) && required.length > 0) return required.map(String).join(' + ')
  if (type === 'array' && isObject(whole['items']) && typeof whole['items']['type'] === 'string') return `${whole['items']['type']}[]`
  const text = Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : ''
  return text !== '' ? text : `#${String(index + 1)}`
}

function byType(schema: JsonObject): Shape {
  const value = schema['const']
  if (value !== undefined) return { ...facts(schema, false), kind: 'const', value }
  const values = schema['enum']
  if (Array.isArray(values)) {
    const type = schema['type']
    const allowsNull = type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'))
    const nullable = allowsNull && values.some((one) => one === null)
    const options = labelled(values.filter((one) => one !== null).map((one) => ({ value: one })))
    return { ...facts(schema, nullable), kind: 'choice', options }
  }
  const said = schema['type'] ?? inferred(schema)
  const types = (Array.isArray(said) ? said : [said]).filter((type) => typeof type === 'string')
  const plain = types.filter((type) => type !== 'null' && !(type === 'integer' && types.includes('number')))
  const nullable = plain.length < types.length && types.includes('null')
  if (plain.length > 1) {
    const variants = plain.map((type) => ({
      label: type,
      schema: merge(without(schema, 'type', 'title', 'description', 'default', 'examples'), typed(type)),
    }))
    return { ...facts(schema, nullable), kind: 'union', variants }
  }
  const type = plain[0] ?? (nullable ? 'null' : undefined)
  return { ...facts(schema, nullable && type !== 'null'), ...ofType(type, schema) }
}

function typed(type: string): JsonObject {
  return Object.assign(Object.create(null), { type }) as JsonObject
}

const HINTS: [string, string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** The type that the other keywords speak of. */
function inferred(schema: JsonObject): string | undefined {
  return HINTS.find(([, keys]) => keys.some((key) => schema[key] !== undefined))?.[0]
}

function ofType(type: string | undefined, schema: JsonObject): Kind {
  switch (type) {
    case 'string':
      return stringKind(schema)
    case 'integer':
    case 'number':
      return numberKind(schema, type === 'integer')
    case 'boolean':
      return { kind: 'boolean' }
    case 'null':
      return { kind: 'null' }
    case 'object':
      return objectKind(schema)
    case 'array':
      return arrayKind(schema)
    default:
      return { kind: 'json' }
  }
}

function stringKind(schema: JsonObject): Kind {
  const length = numeric(schema['maxLength'])
  const name = typeof schema['format'] === 'string' ? schema['format'] : undefined
  return {
    kind: 'string',
    multiline: name === undefined && schema['pattern'] === undefined && (length === undefined || length > 80),
    secret: name === 'password' || schema['writeOnly'] === true,
    base64: schema['contentEncoding'] === 'base64' || name === 'byte',
    ...(name === undefined ? {} : { format: name }),
    ...(length === undefined ? {} : { maxLength: length }),
  }
}

function numberKind(schema: JsonObject, integer: boolean): Kind {
  const bound = (plain: string, exclusive: string, sign: string) => {
    if (schema[exclusive] !== undefined && typeof schema[exclusive] !== 'boolean') return sign + format(schema[exclusive])
    return schema[plain] === undefined ? undefined : format(schema[plain])
  }
  const [min, max] = [bound('minimum', 'exclusiveMinimum', '>'), bound('maximum', 'exclusiveMaximum', '<')]
  return { kind: 'number', integer, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

function objectKind(schema: JsonObject): Kind {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const members = Object.entries(properties)
    .filter((entry): entry is [string, Schema] => isSchema(entry[1]) && entry[1] !== false)
    .map(([name, member]) => ({ name, schema: member, required: required.includes(name) }))
  for (const name of required) {
    if (typeof name === 'string' && !Object.hasOwn(properties, name)) members.push({ name, schema: true, required: true })
  }
  return { kind: 'object', members, rest: restOf(schema) }
}

/** The schema of members without a name of their own; false when there may be none. */
function restOf(schema: JsonObject): Schema {
  const patterns = isObject(schema['patternProperties']) ? Object.values(schema['patternProperties']).filter(isSchema) : []
  const extra = schema['additionalProperties'] ?? schema['unevaluatedProperties']
  if (patterns.length === 0) return isSchema(extra) ? extra : true
  const only = patterns[0]
  return patterns.length === 1 && extra === false && only !== undefined ? only : true
}

function arrayKind(schema: JsonObject): Kind {
  const [min, max] = [numeric(schema['minItems']) ?? 0, numeric(schema['maxItems']) ?? Infinity]
  const items = schema['items']
  const prefix = schema['prefixItems'] ?? (Array.isArray(items) ? items : undefined)
  if (!Array.isArray(prefix)) return { kind: 'array', items: isSchema(items) ? items : true, min, max }
  const rest = Array.isArray(items) ? schema['additionalItems'] : items
  const open = max <= prefix.length ? false : isSchema(rest) ? rest : true
  return { kind: 'tuple', items: prefix.filter(isSchema), rest: open, min }
}

function numeric(value: Json | undefined): number | undefined {
  if (value instanceof NumberText) return Number(value.text)
  return typeof value === 'number' ? value : undefined
}

/** The option that a value is. */
export function optionOf(options: readonly Option[], value: Json): number {
  return options.findIndex((option) => equal(option.value, value))
}
