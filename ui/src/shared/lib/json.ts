/**
 * JSON that loses nothing. Numbers whose text JavaScript would change, such as `12345678901234567890`,
 * `1.0` or `1e400`, are kept as text; a key that stands twice is an error instead of a silent loss.
 */

/** A number whose text matters. */
export class NumberText {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text
  }

  /** For what knows nothing of long numbers: the nearest one that JavaScript has. */
  toJSON(): number {
    return Number(this.text)
  }
}

/** Text that somebody typed and that is not JSON, or no number, yet. It is kept as it was typed, and never sent. */
export class Draft {
  constructor(readonly text: string) {}

  /** How it is told from other texts where an edit is kept or compared. */
  toJSON(): { $draft: string } {
    return { $draft: this.text }
  }
}

export type Json = null | boolean | number | string | NumberText | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export type JsonTrouble = 'end' | 'unexpected' | 'duplicate' | 'escape' | 'control' | 'number' | 'depth'

/** Says what is wrong with a text, and where, both counted from 1. */
export class JsonError extends Error {
  constructor(
    readonly trouble: JsonTrouble,
    readonly offset: number,
    readonly line: number,
    readonly column: number,
    readonly found: string,
  ) {
    super(`${trouble} at line ${String(line)}, column ${String(column)}`)
    this.name = 'JsonError'
  }
}

const DEPTH_MAX = 400
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** An object without a prototype, so that `__proto__` is a key like any other. */
export function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText) && !(value instanceof Draft)
}

/** A number from its text, as a JavaScript number only when that has the same text. */
export function numberOf(text: string): number | NumberText {
  const number = Number(text)
  return String(number) === text ? number : new NumberText(text)
}

/** Whether a text is a number as JSON writes it. */
export function isNumberText(text: string): boolean {
  NUMBER.lastIndex = 0
  return NUMBER.exec(text)?.[0].length === text.length && text !== ''
}

class Reader {
  at = 0
  constructor(
    readonly text: string,
    readonly readNumber: (text: string) => number | NumberText,
    /** Whether a key that stands twice is an error; else the last one counts, as in JavaScript. */
    readonly strict: boolean,
  ) {}

  fail(trouble: JsonTrouble, offset = this.at, found = this.text.charAt(offset)): never {
    const before = this.text.slice(0, offset)
    const line = before.split('\n').length
    throw new JsonError(trouble, offset, line, offset - before.lastIndexOf('\n'), found)
  }

  space(): void {
    while (' \t\n\r'.includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at += 1
  }

  take(char: string): boolean {
    this.space()
    if (this.text[this.at] !== char) return false
    this.at += 1
    return true
  }

  need(char: string): void {
    if (!this.take(char)) this.fail(this.at >= this.text.length ? 'end' : 'unexpected')
  }

  value(depth: number): Json {
    if (depth > DEPTH_MAX) this.fail('depth')
    this.space()
    const char = this.text[this.at]
    if (char === undefined) this.fail('end')
    if (char === '{') return this.object(depth)
    if (char === '[') return this.array(depth)
    if (char === '"') return this.string()
    if (char === '-' || (char >= '0' && char <= '9')) return this.number()
    return this.word()
  }

  word(): Json {
    for (const [text, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.text.startsWith(text, this.at)) {
        this.at += text.length
        return value
      }
    }
    this.fail('unexpected')
  }

  number(): Json {
    NUMBER.lastIndex = this.at
    const text = NUMBER.exec(this.text)?.[0]
    if (text === undefined) this.fail('number')
    const next = this.text.charAt(this.at + text.length)
    if (/[0-9.eE+-]/.test(next)) this.fail('number')
    this.at += text.length
    return this.readNumber(text)
  }

  string(): string {
    const start = this.at
    this.at += 1
    let out = ''
    for (;;) {
      PLAIN.lastIndex = this.at
      const plain = PLAIN.exec(this.text)?.[0] ?? ''
      out += plain
      this.at += plain.length
      const char = this.text[this.at]
      if (char === '"') break
      if (char === undefined) this.fail('end', start)
      if (char !== '\\') this.fail('control')
      out += this.escape()
    }
    this.at += 1
    return out
  }

  escape(): string {
    const char = this.text.charAt(this.at + 1)
    if (char === 'u') {
      const hex = this.text.slice(this.at + 2, this.at + 6)
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('escape')
      this.at += 6
      return String.fromCharCode(parseInt(hex, 16))
    }
    const plain = ESCAPES[char]
    if (plain === undefined) this.fail('escape')
    this.at += 2
    return plain
  }

  array(depth: number): Json[] {
    const out: Json[] = []
    this.need('[')
    if (this.take(']')) return out
    do out.push(this.value(depth + 1))
    while (this.take(','))
    this.need(']')
    return out
  }

  object(depth: number): JsonObject {
    const out = this.strict ? emptyObject() : {}
    this.need('{')
    if (this.take('}')) return out
    do {
      this.space()
      const start = this.at
      if (this.text[start] !== '"') this.fail(start >= this.text.length ? 'end' : 'unexpected')
      const key = this.string()
      if (this.strict && key in out) this.fail('duplicate', start, key)
      this.need(':')
      put(out, key, this.value(depth + 1))
    } while (this.take(','))
    this.need('}')
    return out
  }
}

/** Sets a member, also one that is called `__proto__`. */
function put(object: object, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else (object as Record<string, unknown>)[key] = value
}

/** Reads a text; throws a `JsonError`. */
export function parse(text: string): Json {
  return whole(new Reader(text, numberOf, true))
}

/** Reads a text into ordinary objects, with numbers as `readNumber` makes them. */
export function readWith(text: string, readNumber: (text: string) => number | NumberText): Json {
  return whole(new Reader(text, readNumber, false))
}

function whole(reader: Reader): Json {
  const value = reader.value(0)
  reader.space()
  if (reader.at < reader.text.length) reader.fail('unexpected')
  return value
}

/** Writes a value; `indent` spaces per level, or all on one line. */
export function format(value: Json, indent = 0, level = 0): string {
  if (value instanceof NumberText) return value.text
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const colon = indent > 0 ? ': ' : ':'
  const parts = Array.isArray(value)
    ? value.map((item) => format(item, indent, level + 1))
    : Object.entries(value).map(([key, item]) => JSON.stringify(key) + colon + format(item, indent, level + 1))
  if (parts.length === 0) return open + close
  if (indent === 0) return open + parts.join(',') + close
  const pad = ' '.repeat(indent * (level + 1))
  return `${open}\n${parts.map((part) => pad + part).join(',\n')}\n${' '.repeat(indent * level)}${close}`
}

/** The value as JavaScript has it; long numbers are rounded. For checking and showing, never for sending. */
export function toPlain(value: Json): unknown {
  if (value instanceof NumberText) return Number(value.text)
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isObject(value)) return value
  const out: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    put(out, key, toPlain(item))
  }
  return out
}

/** A JavaScript value as `Json`, without what JSON cannot hold. */
export function fromPlain(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value instanceof NumberText) return value
  if (value instanceof Draft) return value.toJSON()
  if (Array.isArray(value)) return value.map(fromPlain)
  const out = emptyObject()
  if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) if (item !== undefined) out[key] = fromPlain(item)
    return out
  }
  return null
}

/** Whether two values are the same JSON; the order of keys and the writing of numbers do not matter. */
export function equal(a: Json, b: Json): boolean {
  if (a instanceof NumberText || b instanceof NumberText) return sameNumber(a, b)
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as Json))
  }
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && equal(a[key] as Json, b[key] as Json))
}

function sameNumber(a: Json, b: Json): boolean {
  const [left, right] = [a, b].map((one) => (one instanceof NumberText ? one.text : one))
  if (typeof left === 'number' || typeof right === 'number') return Number(left) === Number(right) && isNumeric(a) && isNumeric(b)
  return a instanceof NumberText && b instanceof NumberText && (left === right || sameSmall(a.text, b.text))
}

function isNumeric(value: Json): boolean {
  return typeof value === 'number' || value instanceof NumberText
}

/** `1.0` and `1.00` are the same; of numbers too long for JavaScript only the same text is. */
function sameSmall(a: string, b: string): boolean {
  const digits = (text: string) => text.replace(/[eE].*$/, '').replace(/[^0-9]/g, '').length
  return digits(a) <= 15 && digits(b) <= 15 && Number(a) === Number(b)
}

/** Whether a text breaks off in the middle, as one does that is being typed. */
export function isHalf(text: string): boolean {
  try {
    parse(text)
    return false
  } catch (error) {
    return error instanceof JsonError && error.trouble === 'end'
  }
}
