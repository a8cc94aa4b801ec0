import type { Dictionary } from '../../../shared/lib/i18n'
import type { JsonError } from '../../../shared/lib/json'
import type { Problem } from '../schema/problems'
import type { words } from '../words'

type Words = (typeof words) extends Dictionary<infer T> ? { [K in keyof T]: T[K] extends string ? string : T[K] } : never

/** What a finding says, in the reader's language; what has no words of its own is told in those of the validator. */
export function problemText(w: Words, { keyword, limit, text }: Problem): string {
  const shown = typeof limit === 'string' ? limit : JSON.stringify(limit) ?? ''
  const list = (value: unknown) => (Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ') : shown)
  const limits: Record<string, (n: string) => string> = {
    minimum: w.atLeast,
    maximum: w.atMost,
    exclusiveMinimum: w.moreThan,
    exclusiveMaximum: w.lessThan,
    multipleOf: w.multiple,
    minLength: w.longer,
    maxLength: w.shorter,
    minItems: w.moreItems,
    maxItems: w.fewerItems,
    minProperties: w.moreMembers,
    maxProperties: w.fewerMembers,
    pattern: w.pattern,
    format: w.formatted,
    const: w.mustEqual,
  }
  const said = limits[keyword]
  if (said) return said(shown)
  if (keyword === 'type') return w.mustBe(list(limit))
  if (keyword === 'enum') return w.oneOf(list(limit))
  if (keyword === 'required') return w.isRequired
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return w.isExtra
  if (keyword === 'uniqueItems') return w.unique
  if (keyword === 'anyOf') return w.noVariant
  if (keyword === 'oneOf') return text.includes('(0 matches)') ? w.noVariant : w.manyVariants
  return text
}

/** Where a text stops being JSON, and why. */
export function jsonTrouble(w: Words, { trouble, line, column, found }: JsonError): string {
  const what = {
    end: w.jsonEnd,
    unexpected: w.jsonUnexpected(found),
    duplicate: w.jsonDuplicate(found),
    escape: w.jsonEscape,
    control: w.jsonControl,
    number: w.jsonNumber,
    depth: w.jsonDepth,
  }[trouble]
  return w.jsonTrouble(line, column, what)
}
