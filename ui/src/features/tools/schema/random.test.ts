import { expect, test } from 'vitest'
import { blank, toForm, toJson } from '../store'
import { SchemaDocument } from './document'
import { format, fromPlain, parse, type Json } from '../../../shared/lib/json'
import type { Schema } from './merge'
import { fieldText, numberFrom } from '../../../shared/lib/values'
import { jsonText, settle, type Value } from './value'

/** Numbers that look random and are the same in every run. */
function random(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  return { next, below, pick }
}

type Random = ReturnType<typeof random>

const NUMBERS = ['0', '-1', '1.0', '2.50', '12345678901234567890', '1e400', '-0.001']
const TEXTS = ['', 'a', 'a\nb', 'a\r\nb', '"\\', '日本', '{"x":1}', '7']

function someValue({ below, pick, next }: Random, depth: number): Json {
  const kind = below(depth > 3 ? 4 : 6)
  if (kind === 0) return null
  if (kind === 1) return next() < 0.5
  if (kind === 2) return parse(pick(NUMBERS))
  if (kind === 3) return pick(TEXTS)
  const again = random(below(2 ** 30))
  if (kind === 4) return Array.from({ length: below(3) }, () => someValue(again, depth + 1))
  return fromPlain(Object.fromEntries(Array.from({ length: below(4) }, () => [again.pick(['a', 'b', 'c', '__proto__', 'x/y']), someValue(again, depth + 1)])))
}

function someSchema(source: Random, depth: number): unknown {
  const { below, pick, next } = source
  const again = () => someSchema(source, depth + 1)
  if (depth > 4 || next() < 0.1) return pick([true, {}, { type: 'string' }, { $ref: '#/$defs/d' }, { $ref: '#' }, { $ref: '#/$defs/none' }, false])
  const some = (n: number) => Array.from({ length: 1 + below(n) }, again)
  const members = () => Object.fromEntries(['a', 'b', 'c', 'x/y'].filter(() => next() < 0.5).map((name) => [name, again()]))
  const parts: (() => object)[] = [
    () => ({ type: pick(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array', ['string', 'null'], ['object', 'array', 'null']]) }),
    () => ({ properties: members(), required: ['a', 'z'].filter(() => next() < 0.5) }),
    () => ({ additionalProperties: again() }),
    () => ({ patternProperties: { '^c': again() } }),
    () => ({ items: again() }),
    () => ({ prefixItems: some(2), items: next() < 0.5 ? false : again() }),
    () => ({ oneOf: some(3) }),
    () => ({ anyOf: some(3) }),
    () => ({ allOf: some(3) }),
    () => ({ enum: ['a', 1, null, { b: 1 }].slice(below(3)) }),
    () => ({ const: pick(['a', 1, null, [1]]) }),
    () => ({ if: again(), then: again(), else: again() }),
    () => ({ default: pick([1, null, 'a', {}]) }),
    () => ({ minimum: 1, maxLength: 3, title: 'T', description: 'D' }),
    () => ({ $ref: pick(['#/$defs/d', '#']) }),
  ]
  return Object.assign({}, ...Array.from({ length: 1 + below(3) }, () => pick(parts)()))
}

/** Looks at every field that a form would show and retypes what it shows. */
function retype(document: SchemaDocument, schema: Schema, value: Value, depth = 0): Value {
  const shape = document.shape(schema, value)
  if (!document.shows(shape, value) || depth > 12) return parse(jsonText(value))
  if (value === null) return null
  const again = (inner: Schema, item: Value) => retype(document, inner, item, depth + 1)
  switch (shape.kind) {
    case 'number':
      return numberFrom(fieldText(value)) ?? null
    case 'union': {
      const variant = shape.variants[document.variant(shape.variants, value)]
      return variant ? again(variant.schema, value) : value
    }
    case 'array':
      return (value as Value[]).map((item) => again(shape.items, item))
    case 'tuple':
      return (value as Value[]).map((item, index) => again(shape.items[index] ?? (shape.rest === false ? true : shape.rest), item))
    case 'object':
      return Object.assign(
        Object.create(null),
        Object.fromEntries(
          Object.entries(value as Record<string, Value>).map(([key, item]) => {
            const own = shape.members.find((member) => member.name === key)?.schema ?? shape.rest
            return [key, again(own === false ? true : own, item)]
          }),
        ),
      ) as Value
    default:
      return value
  }
}

test('retyping what a form shows changes nothing, whatever the schema and the value', () => {
  for (let seed = 1; seed <= 250; seed += 1) {
    const source = random(seed)
    const schema = fromPlain({ ...(Object(someSchema(source, 0)) as object), $defs: { d: someSchema(source, 2) } }) as Schema
    const document = new SchemaDocument(schema)
    const value = someValue(source, 0)
    const context = `seed ${seed}: ${format(schema as Json)} ← ${format(value)}`
    expect(format(settle(retype(document, schema, value)).json), context).toBe(format(value))
    document.initial(schema)
    document.empty(schema)
    document.check(value)
  }
}, 30_000)

test('going to JSON and back changes nothing', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const form = blank(someValue(random(seed), 0))
    const round = { ...form, ...toJson(form) }
    const back = { ...round, ...toForm(round) }
    expect(format(settle(back.value).json)).toBe(format(settle(form.value).json))
  }
})
