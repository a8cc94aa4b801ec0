/**
 * The value that a form holds: JSON, and texts that are on their way to become JSON. `undefined` is
 * "not set", which is neither empty nor null.
 */
import { Draft, emptyObject, format, isObject, type Json, type NumberText } from '../../../shared/lib/json'

export { Draft }

export type Value = null | boolean | number | string | NumberText | Draft | Value[] | ValueObject

export interface ValueObject {
  [key: string]: Value
}

export type Path = readonly (string | number)[]

export const isValueObject = (value: Value | undefined): value is ValueObject => isObject(value)

/** A path as a JSON pointer, which also serves as a key. */
export function pointer(path: Path): string {
  return path.map((part) => '/' + String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('')
}

/** The key of what is remembered of the choice of a variant at a path; no member's own place can be the same. */
export function choiceAt(path: Path, depth: number): string {
  return `${pointer(path)}/~#${depth}`
}

export function valueAt(value: Value | undefined, path: Path): Value | undefined {
  let at = value
  for (const part of path) {
    if (Array.isArray(at)) at = at[Number(part)]
    else if (isValueObject(at) && Object.hasOwn(at, String(part))) at = at[String(part)]
    else return undefined
  }
  return at
}

/** A copy with another value at a path; `undefined` takes the member, or the item, away. */
export function setAt(value: Value | undefined, path: Path, next: Value | undefined): Value | undefined {
  const [head, ...tail] = path
  if (head === undefined) return next
  if (Array.isArray(value) || (value === undefined && typeof head === 'number')) {
    return setItem(value ?? [], Number(head), tail, next)
  }
  const key = String(head)
  const old = isValueObject(value) ? value : emptyObject()
  const inner = setAt(Object.hasOwn(old, key) ? old[key] : undefined, tail, next)
  const copy = emptyObject() as ValueObject
  for (const [name, item] of Object.entries(old)) {
    if (name !== key) copy[name] = item
    else if (inner !== undefined) copy[name] = inner
  }
  if (inner !== undefined) copy[key] = inner
  return copy
}

function setItem(list: Value[], index: number, tail: Path, next: Value | undefined): Value[] {
  const inner = setAt(list[index], tail, next)
  if (inner === undefined) return list.filter((_, i) => i !== index)
  const copy = [...list]
  copy[index] = inner
  return copy
}

/** A copy of an object with one key renamed, in its place; nothing changes when the name is taken. */
export function renameKey(object: ValueObject, from: string, to: string): ValueObject {
  if (from === to || Object.hasOwn(object, to)) return object
  const copy = emptyObject() as ValueObject
  for (const [key, item] of Object.entries(object)) copy[key === from ? to : key] = item
  return copy
}

/** A copy of a list with one item moved; out of range changes nothing. */
export function moveItem<T>(list: T[], from: number, to: number): T[] {
  const item = list[from]
  if (item === undefined || to < 0 || to >= list.length) return list
  const copy = list.filter((_, i) => i !== from)
  copy.splice(to, 0, item)
  return copy
}

/** What a field holds when nothing is typed into it: nothing, or the beginning of something where its place is kept. */
export function emptied(next: Value | undefined, kept: boolean): Value | undefined {
  return next === undefined && kept ? new Draft('') : next
}

/** The value with every draft as the text it is, and where the drafts are. */
export function settle(value: Value): { json: Json; drafts: Path[] } {
  const drafts: Path[] = []
  const walk = (one: Value, path: Path): Json => {
    if (one instanceof Draft) {
      drafts.push(path)
      return one.text
    }
    if (Array.isArray(one)) return one.map((item, i) => walk(item, [...path, i]))
    if (!isValueObject(one)) return one
    const copy = emptyObject()
    for (const [key, item] of Object.entries(one)) copy[key] = walk(item, [...path, key])
    return copy
  }
  return { json: walk(value, []), drafts }
}

/** The text of a value in a JSON field; a draft shows as it was typed. */
export function jsonText(value: Value | undefined): string {
  if (value === undefined) return ''
  return value instanceof Draft ? value.text : format(settle(value).json, 2)
}
