/** Tells apart what reads alike in a list, such as two workflows of one name. */

import { writeJson } from './values'

/** The fewest characters of an id that are shown. */
const SHORT = 8

/**
 * The texts of a list; those that read alike have as much of their ids behind them as tells them apart, at `least` so
 * many characters.
 */
export function apart<T>(items: readonly T[], textOf: (item: T) => string, idOf: (item: T) => string, least = SHORT): string[] {
  const groups = new Map<string, string[]>()
  const seen = items.map((item) => read(textOf(item)))
  for (const [at, item] of items.entries()) {
    const text = seen[at] ?? ''
    const ids = groups.get(text)
    if (ids) ids.push(idOf(item))
    else groups.set(text, [idOf(item)])
  }
  const marks = new Map([...groups].filter(([, ids]) => ids.length > 1).map(([text, ids]) => [text, beginnings(ids, least)]))
  return items.map((item, at) => {
    const mark = marks.get(seen[at] ?? '')?.get(idOf(item))
    return mark === undefined ? textOf(item) : `${textOf(item)} (${mark})`
  })
}

/** What a member is called: by its title, else by its name; a blank name as it is written in JSON. */
export function memberText(name: string, title?: unknown): string {
  if (typeof title === 'string' && title.trim() !== '') return title
  return name.trim() === '' ? JSON.stringify(name) : name
}

/** How values read in a list of choices: a text as it is, but one that reads like another value, or like none, as JSON. */
export function valueTexts(values: readonly unknown[]): string[] {
  const plain = values.map((value) => (typeof value === 'string' && value.trim() !== '' ? value : writeJson(value)))
  const counts = new Map<string, number>()
  for (const text of plain) counts.set(read(text), (counts.get(read(text)) ?? 0) + 1)
  return plain.map((text, at) => (counts.get(read(text)) === 1 ? text : writeJson(values[at])))
}

/** A text as it is read: what looks the same is the same. */
function read(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim()
}

/** The beginning of each id that no other has, or all of it where another goes on from there. */
function beginnings(ids: readonly string[], least: number): Map<string, string> {
  const sorted = [...new Set(ids)].sort()
  // In order, an id has most in common with one of its neighbours.
  return new Map(sorted.map((id, at) => [id, id.slice(0, Math.max(least, shared(id, sorted[at - 1]) + 1, shared(id, sorted[at + 1]) + 1))]))
}

/** How many characters two ids begin with alike. */
function shared(one: string, other = ''): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}
