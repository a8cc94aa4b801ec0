import { describe, expect, it, test } from 'vitest'
import { SchemaDocument } from './document'
import { NumberText, format, fromPlain, parse, type Json } from '../../../shared/lib/json'
import type { Schema } from './merge'
import { problemOf } from './problems'
import { withoutSecrets } from './secrets'
import type { Shape } from './shape'
import { Draft, pointer, settle, type Value } from './value'

const doc = (schema: unknown) => new SchemaDocument(fromPlain(schema) as Schema)
const shape = (schema: unknown, value?: Value): Shape => {
  const one = doc(schema)
  return one.shape(one.root, value)
}
const member = (of: Shape, name: string, within: SchemaDocument): Shape => {
  if (of.kind !== 'object') throw new Error(of.kind)
  const found = of.members.find((one) => one.name === name)
  if (found === undefined) throw new Error(name)
  return within.shape(found.schema)
}
const names = (of: Shape) => (of.kind === 'object' ? of.members.map((one) => one.name + (one.required ? '*' : '')) : of.kind)

describe('the shape of a schema', () => {
  it('is one of a few kinds', () => {
    const check = (schema: unknown, expected: Record<string, unknown>) => {
      expect(shape(schema), JSON.stringify(schema)).toMatchObject(expected)
    }
    check({ type: 'string' }, { kind: 'string', nullable: false, multiline: true })
    check({ type: 'string', format: 'date-time' }, { kind: 'string', format: 'date-time', multiline: false })
    check({ type: 'string', format: 'password' }, { kind: 'string', secret: true })
    check({ type: 'string', contentEncoding: 'base64' }, { kind: 'string', base64: true })
    check({ type: 'integer', minimum: 1, exclusiveMaximum: 9 }, { kind: 'number', integer: true, min: '1', max: '<9' })
    check({ type: ['number', 'integer'] }, { kind: 'number', integer: false })
    check({ type: 'boolean', default: true }, { kind: 'boolean', default: true })
    check({ type: 'null' }, { kind: 'null' })
    check({ const: 'a' }, { kind: 'const', value: 'a' })
    check({ enum: ['a', 1, null] }, { kind: 'choice', nullable: true, options: [{ label: 'a' }, { label: '1' }] })
    check({ type: 'string', enum: ['a', null] }, { kind: 'choice', nullable: false })
    check(
      {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 2, title: 'Two' },
        ],
      },
      { kind: 'choice', options: [{ label: 'One', value: 1 }, { label: 'Two' }] },
    )
    check({ type: 'array', items: { type: 'string' }, minItems: 1 }, { kind: 'array', min: 1, max: Infinity })
    check({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }, { kind: 'tuple', rest: false })
    check({ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } }, { kind: 'tuple', rest: { type: 'number' } })
    check({ type: 'object', additionalProperties: { type: 'number' } }, { kind: 'object', members: [], rest: { type: 'number' } })
    check({ type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: false }, { rest: { type: 'number' } })
    check({ type: 'object', additionalProperties: false }, { rest: false })
    check({ properties: { a: {} } }, { kind: 'object' })
    check({ minimum: 3 }, { kind: 'number' })
    check({}, { kind: 'json' })
    check(true, { kind: 'json', nullable: true })
    check({ type: ['string', 'number'] }, { kind: 'union', variants: [{ label: 'string' }, { label: 'number' }] })
  })

  it('tells apart what reads alike', () => {
    const labels = (schema: unknown) => {
      const made = shape(schema)
      return made.kind === 'choice' ? made.options.map(({ label }) => label) : made.kind === 'union' ? made.variants.map(({ label }) => label) : []
    }
    expect(labels({ enum: [1, '1', 'a', true, 'true', ' ', 'a '] })).toEqual(['1', '"1"', '"a"', 'true', '"true"', '" "', '"a "'])
    expect(labels({ oneOf: [{ const: 'tokyo-1', title: 'Tokyo' }, { const: 'tokyo-2', title: 'Tokyo' }, { const: 'osaka', title: 'Osaka' }] })).toEqual(['Tokyo (tokyo-1)', 'Tokyo (tokyo-2)', 'Osaka'])
    const point = { type: 'object', title: 'Point' }
    expect(labels({ oneOf: [{ ...point, required: ['x'] }, { ...point, required: ['lat'] }, { type: 'string' }] })).toEqual(['Point (#1)', 'Point (#2)', 'string'])
  })

  it('allows null where the schema does, in every way it can be said', () => {
    for (const schema of [
      { type: ['string', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { oneOf: [{ type: 'null' }, { type: 'string' }] },
      { anyOf: [{ $ref: '#/$defs/s' }, { type: 'null' }], $defs: { s: { type: 'string' } } },
      { allOf: [{ type: ['string', 'number', 'null'] }, { type: ['null', 'string'] }] },
    ])
      expect(shape(schema), JSON.stringify(schema)).toMatchObject({ kind: 'string', nullable: true })
    expect(shape({ type: 'string' }).nullable).toBe(false)
    expect(shape({ anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }], default: null, title: 'T' })).toMatchObject({
      kind: 'choice',
      nullable: true,
      default: null,
      title: 'T',
    })
  })

  it('follows references, also into itself', () => {
    const tree = doc({
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name'],
        },
      },
      $ref: '#/$defs/node',
      title: 'Tree',
    })
    let at = tree.shape(tree.root)
    expect(at.title).toBe('Tree')
    for (let depth = 0; depth < 20; depth += 1) {
      expect(names(at)).toEqual(['name*', 'children'])
      const children = member(at, 'children', tree)
      if (children.kind !== 'array') throw new Error(children.kind)
      at = tree.shape(children.items)
    }
  })

  it('finds references by pointer, by anchor, by id and to the root', () => {
    const check = (schema: unknown) => {
      const one = doc(schema)
      expect(member(one.shape(one.root), 'x', one).kind, JSON.stringify(schema)).toBe('number')
    }
    check({ properties: { x: { $ref: '#/definitions/a~1b' } }, definitions: { 'a/b': { type: 'number' } } })
    check({ properties: { x: { $ref: '#/$defs/a%20b' } }, $defs: { 'a b': { type: 'number' } } })
    check({ properties: { x: { $ref: '#n' } }, $defs: { q: { $anchor: 'n', type: 'number' } } })
    check({ properties: { x: { $ref: 'https://e.x/n' } }, $defs: { q: { $id: 'https://e.x/n', type: 'number' } } })
    check({ properties: { x: { allOf: [{ $ref: '#/$defs/q' }], description: 'd' } }, $defs: { q: { type: 'number' } } })
    check({ properties: { x: { type: 'number' }, y: { $ref: '#' } } })
  })

  it('falls back to JSON for a reference that leads nowhere or round in a circle', () => {
    expect(shape({ $ref: '#/$defs/none' }).kind).toBe('json')
    expect(shape({ $ref: '#' }).kind).toBe('json')
    expect(shape({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } }).kind).toBe('json')
    const one = doc({ type: 'object', properties: { good: { type: 'string' }, bad: { $ref: 'other.json' } } })
    const whole = one.shape(one.root)
    expect([member(whole, 'good', one).kind, member(whole, 'bad', one).kind]).toEqual(['string', 'json'])
  })

  it('merges allOf', () => {
    const one = doc({
      allOf: [
        { type: 'object', properties: { a: { type: 'number', minimum: 1 }, b: {} }, required: ['a'] },
        { properties: { a: { type: 'integer', maximum: 5, minimum: 3 }, c: { type: 'string' } }, required: ['c'] },
      ],
    })
    const whole = one.shape(one.root)
    expect(names(whole)).toEqual(['a*', 'b', 'c*'])
    expect(member(whole, 'a', one)).toMatchObject({ kind: 'number', integer: true, min: '3', max: '5' })
    expect(shape({ allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] })).toMatchObject({ kind: 'choice', options: [{ value: 'b' }] })
    expect(shape({ allOf: [{ type: 'string' }, { type: 'number' }] }).kind).toBe('json')
    const pairs = shape({
      allOf: [
        { oneOf: [{ title: 'a', properties: { a: {} } }, { properties: { b: {} } }] },
        { oneOf: [{ properties: { c: {} } }, { properties: { d: {} } }] },
      ],
    })
    expect(pairs.kind === 'union' && pairs.variants.length).toBe(4)
  })

  it('keeps only the words beside a reference in draft 7', () => {
    const schema = (draft: string) => ({
      $schema: draft,
      $ref: '#/definitions/s',
      description: 'here',
      maxLength: 3,
      definitions: { s: { type: 'string', format: 'uri' } },
    })
    expect(shape(schema('http://json-schema.org/draft-07/schema#'))).toMatchObject({ kind: 'string', description: 'here', format: 'uri' })
    expect(shape(schema('http://json-schema.org/draft-07/schema#'))).not.toHaveProperty('maxLength')
    expect(shape(schema('https://json-schema.org/draft/2020-12/schema'))).toMatchObject({ maxLength: 3 })
  })

  it('has variants at the root that share what stands beside them', () => {
    const one = doc({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      oneOf: [
        { title: 'By name', properties: { name: { type: 'string' } }, required: ['name'] },
        { properties: { kind: { const: 'number' }, number: { type: 'integer' } }, required: ['kind'] },
        { required: ['flag'] },
      ],
    })
    const whole = one.shape(one.root)
    if (whole.kind !== 'union') throw new Error(whole.kind)
    expect(whole.variants.map((variant) => variant.label)).toEqual(['By name', 'kind: number', 'flag'])
    expect(whole.variants.map((variant) => names(one.shape(variant.schema)))).toEqual([
      ['id*', 'name*'],
      ['id*', 'kind*', 'number'],
      ['id*', 'flag*'],
    ])
  })

  it('shows what a condition asks for when it holds', () => {
    const schema = {
      type: 'object',
      properties: { country: { enum: ['JP', 'US'] } },
      if: { properties: { country: { const: 'JP' } }, required: ['country'] },
      then: { properties: { postal: { type: 'string' } }, required: ['postal'] },
      else: { properties: { zip: { type: 'string' } } },
      dependentSchemas: { zip: { properties: { state: { type: 'string' } } } },
    }
    expect(names(shape(schema, { country: 'JP' }))).toEqual(['country', 'postal*'])
    expect(names(shape(schema, {}))).toEqual(['country', 'zip'])
    expect(names(shape(schema, { zip: '1' }))).toEqual(['country', 'zip', 'state'])
  })
})

describe('a form', () => {
  it('starts with what must be there and is known', () => {
    const check = (schema: unknown, expected: unknown) => {
      const one = doc(schema)
      const value = one.initial(one.root)
      expect(value === undefined ? undefined : JSON.parse(format(settle(value).json))).toEqual(expected)
    }
    const properties = {
      name: { type: 'string' },
      size: { type: 'integer', default: 3 },
      kind: { const: 'x' },
      hidden: { default: 'no' },
      nested: { type: 'object', properties: { deep: { default: [1] } }, required: ['deep'] },
    }
    check({ type: 'object', properties, required: ['name', 'size', 'kind', 'nested'] }, { size: 3, kind: 'x', nested: { deep: [1] } })
    check({ type: 'object', properties }, {})
    check({ type: 'object', default: { a: 1 } }, { a: 1 })
    check({ $ref: '#/$defs/n', $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } } }, {})
    check({ type: 'object', oneOf: [{ properties: { k: { const: 'a' } }, required: ['k'] }, {}] }, { k: 'a' })
  })

  it('ends where a schema asks for itself without end', () => {
    const one = doc({
      $ref: '#/$defs/n',
      $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } }, required: ['next'] } },
    })
    expect(format(settle(one.initial(one.root) ?? null).json).length).toBeLessThan(200)
  })

  it('shows only what it would not change', () => {
    const check = (schema: unknown, value: Value, expected: boolean) => {
      const one = doc(schema)
      expect(one.shows(one.shape(one.root, value), value), JSON.stringify([schema, value])).toBe(expected)
    }
    check({ type: 'string' }, 'a\nb', true)
    check({ type: 'string' }, 'a\r\nb', false)
    check({ type: 'string' }, 1, false)
    check({ type: 'string' }, null, false)
    check({ type: ['string', 'null'] }, null, true)
    check({ type: 'number' }, new NumberText('1e999'), true)
    check({ type: 'number' }, new Draft('1.'), true)
    check({ type: 'boolean' }, 'true', false)
    check({ enum: ['a'] }, 'b', false)
    check({ const: { a: 1 } }, { a: 1 }, true)
    check({ type: 'object' }, [], false)
    check({ type: 'array' }, {}, false)
    check({}, null, true)
    check({ anyOf: [{ type: 'string' }, { type: 'array' }] }, true, false)
    check({ anyOf: [{ type: 'string' }, { type: 'array' }] }, [1], true)
    for (const half of ['', '-', '4.', '.5', '１２', '1o']) check({ anyOf: [{ type: 'string' }, { type: 'integer' }] }, new Draft(half), true)
    check({ anyOf: [{ type: 'string' }, { type: 'integer' }] }, new Draft('[1,'), false)
    check({ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, new Draft('4.'), false)
    check({ anyOf: [{ type: 'string' }, { anyOf: [{ type: 'array' }, { type: 'integer' }] }] }, new Draft('4.'), true)
    check({ anyOf: [{ type: 'integer' }, {}] }, new Draft('[1,'), true)
  })

  it('finds the variant of a value, and the nearest when none fits', () => {
    const one = doc({
      oneOf: [
        { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number', minimum: 0 } }, required: ['kind', 'r'] },
        { type: 'object', properties: { kind: { const: 'square' }, side: { $ref: '#/$defs/side' } }, required: ['kind', 'side'] },
        { type: 'array', items: { type: 'number' } },
      ],
      $defs: { side: { type: 'number', minimum: 0 } },
    })
    const whole = one.shape(one.root)
    if (whole.kind !== 'union') throw new Error(whole.kind)
    const check = (value: Value | undefined, expected: number) => {
      expect(one.variant(whole.variants, value), JSON.stringify(value)).toBe(expected)
    }
    check(undefined, 0)
    check({ kind: 'square', side: 1 }, 1)
    check({ kind: 'square', side: -1 }, 1)
    check({ kind: 'square' }, 1)
    check([1], 2)
    check(['x'], 2)
    check({ r: 1 }, 0)
  })

  it('finds the variant in which a number is being typed', () => {
    const check = (types: object[], text: string, expected: number) => {
      const one = doc({ anyOf: types })
      const whole = one.shape(one.root)
      if (whole.kind !== 'union') throw new Error(whole.kind)
      expect(one.variant(whole.variants, new Draft(text)), text).toBe(expected)
    }
    for (const half of ['', '-', '4.', '.5']) check([{ type: 'string' }, { type: 'object' }, { type: 'integer' }], half, 2)
    check([{ type: 'integer' }, {}], '[1,', 1)
  })
})

describe('checking', () => {
  const problems = (schema: unknown, value: Json) => {
    const one = doc(schema)
    return one
      .check(value)
      ?.map((unit) => problemOf(unit, (at) => one.limit(at)))
      .map((problem) => `${pointer(problem.path)} ${problem.keyword} ${JSON.stringify(problem.limit)}`)
  }

  it('names the field, the rule and its limit', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      additionalProperties: false,
      properties: {
        a: { $ref: '#/$defs/small' },
        b: { type: 'string', maxLength: 2 },
        c: { type: 'array', items: { type: 'object', required: ['x/y'] } },
      },
      $defs: { small: { type: 'integer', maximum: 5 } },
    }
    expect(problems(schema, parse('{"a":1,"b":""}'))).toEqual([])
    expect(problems(schema, parse('{"a":9,"b":"long"}'))).toEqual(['/a maximum 5', '/b maxLength 2'])
    expect(problems(schema, parse('{"a":1.5}'))).toEqual(['/b required ["a","b"]', '/a type "integer"'])
    expect(problems(schema, parse('{"a":1,"b":"","d":1}'))).toEqual(['/d additionalProperties false'])
    expect(problems(schema, parse('{"a":1,"b":"","c":[{"x/y":1},{}]}'))).toEqual(['/c/1/x~1y required ["x/y"]'])
  })

  it('tells of a choice what the nearest variant says', () => {
    const schema = {
      anyOf: [
        { type: 'string' },
        { type: 'object', properties: { k: { const: 'a' }, n: { type: 'number' } }, required: ['k'] },
        { type: 'object', properties: { k: { const: 'b' } }, required: ['k'] },
      ],
    }
    expect(problems(schema, parse('{"k":"a","n":"x"}'))).toEqual(['/n type "number"'])
    expect(problems(schema, parse('7'))?.[0]).toContain(' anyOf ')
    expect(problems({ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 2)).toHaveLength(1)
    expect(problems({ if: { required: ['a'] }, then: { required: ['b'] } }, parse('{"a":1}'))).toEqual(['/b required ["b"]'])
  })

  it('says nothing about a schema that it cannot read', () => {
    expect(problems({ type: 'object', properties: { a: { $ref: 'elsewhere' } } }, parse('{"a":1}'))).toBeUndefined()
    expect(problems({ type: 'string', pattern: '(' }, 'x')).toBeUndefined()
    expect(problems({ $ref: '#' }, 'x')).toBeUndefined()
  })

  it('takes draft 7 as draft 7', () => {
    const tuple = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }], additionalItems: false }
    expect(problems(tuple, parse('["a"]'))).toEqual([])
    expect(problems(tuple, parse('["a",1]'))).not.toEqual([])
  })
})

test('secrets are left out of what is kept', () => {
  const one = doc({
    type: 'object',
    properties: {
      user: { type: 'string' },
      password: { type: ['string', 'null'], format: 'password' },
      logins: { type: 'array', items: { type: 'object', properties: { token: { type: 'string', writeOnly: true }, n: {} } } },
    },
  })
  const kept = withoutSecrets(one, parse('{"user":"u","password":"p","logins":[{"token":"t","n":12345678901234567890}],"x":1}'))
  expect(format(kept)).toBe('{"user":"u","logins":[{"n":12345678901234567890}],"x":1}')
})
