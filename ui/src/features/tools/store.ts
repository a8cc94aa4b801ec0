/** What is typed into the forms, per tool, so that looking at another tool loses nothing. */
import { create } from 'zustand'
import { SchemaDocument } from './schema/document'
import { emptyObject, format, isObject, parse, type Json } from '../../shared/lib/json'
import { isSchema } from './schema/merge'
import { pointer, setAt, settle, type Path, type Value } from './schema/value'
import type { Tool } from './tools'

export interface FormState {
  value: Value
  mode: 'form' | 'json'
  /** The text of the JSON view. It is what counts while that view is open. */
  text: string
  /** The variants that somebody chose, by place. */
  choices: Readonly<Record<string, number>>
  /** The values that other variants had, by place and variant. */
  parked: Readonly<Record<string, Value>>
  /** The fields that are edited as JSON by choice, by place. */
  asJson: Readonly<Record<string, boolean>>
}

interface Playground {
  forms: Readonly<Record<string, FormState>>
  /** Changes the form of a tool, which is `first` when nobody has touched it. */
  change: (key: string, change: (form: FormState) => Partial<FormState>, first?: FormState) => void
}

export const usePlayground = create<Playground>()((set) => ({
  forms: {},
  change: (key, change, first = blank({})) => {
    set(({ forms }) => {
      const form = forms[key] ?? first
      return { forms: { ...forms, [key]: { ...form, ...change(form) } } }
    })
  },
}))

/** A form with a value and nothing else. */
export function blank(value: Value): FormState {
  return { value, mode: 'form', text: '', choices: {}, parked: {}, asJson: {} }
}

/** The schema of a tool; what is no schema allows everything. */
export function documentOf(schema: Json): SchemaDocument {
  return new SchemaDocument(isSchema(schema) ? schema : true)
}

/** The form of a tool that nobody has touched. */
export function firstForm(tool: Tool, document: SchemaDocument): FormState {
  const value = document.initial(document.root)
  const form = blank(value ?? emptyObject())
  return isObject(tool.schema) ? form : { ...form, mode: 'json', text: format(settle(form.value).json, 2) }
}

export function withValue(path: Path, next: Value | undefined): (form: FormState) => Partial<FormState> {
  return (form) => ({ value: setAt(form.value, path, next) ?? emptyObject() })
}

/**
 * Puts a value at a path whose parts have other keys from now on. What was chosen for a part goes where it goes: to the
 * key that `keyOf` gives for its old one, or away with it.
 */
export function withParts(path: Path, next: Value | undefined, keyOf: (key: string) => string | undefined): (form: FormState) => Partial<FormState> {
  const start = `${pointer(path)}/`
  const moved = (place: string): string | undefined => {
    const [key = '', ...rest] = place.slice(start.length).split('/')
    if (!place.startsWith(start) || key.startsWith('~#')) return place
    const to = keyOf(key.replaceAll('~1', '/').replaceAll('~0', '~'))
    return to === undefined ? undefined : pointer(path) + [pointer([to]), ...rest].join('/')
  }
  const follow = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).flatMap(([place, one]) => (moved(place) === undefined ? [] : [[moved(place), one]])))
  return (form) => ({ ...withValue(path, next)(form), choices: follow(form.choices), parked: follow(form.parked), asJson: follow(form.asJson) })
}

/** Puts the items of a list, by their old indexes, into another order; those that are not named are taken out. */
export function withOrder(path: Path, list: readonly Value[], order: readonly number[]): (form: FormState) => Partial<FormState> {
  return withParts(path, order.map((at) => list[at] as Value), (key) => (order.includes(Number(key)) ? String(order.indexOf(Number(key))) : undefined))
}

/** To the JSON view. The text is written anew unless it still says the same. */
export function toJson(form: FormState): Partial<FormState> {
  const text = format(settle(form.value).json, 2)
  return { mode: 'json', text: sameText(form.text, text) ? form.text : text }
}

function sameText(old: string, text: string): boolean {
  try {
    return format(parse(old), 2) === text
  } catch {
    return false
  }
}

/** Back to the form; throws a `JsonError` when the text is no JSON, and then nothing is lost. */
export function toForm(form: FormState): Partial<FormState> {
  const value = parse(form.text)
  // What was on its way to become JSON is taken up where it was.
  const { json } = settle(form.value)
  if (format(value) === format(json)) return { mode: 'form' }
  return { mode: 'form', value, choices: {}, parked: {}, asJson: {} }
}

/** The arguments as they would be sent; throws a `JsonError` when the JSON view holds no JSON. */
export function argumentsOf(form: FormState): { json: Json; drafts: Path[] } {
  return form.mode === 'json' ? { json: parse(form.text), drafts: [] } : settle(form.value)
}
