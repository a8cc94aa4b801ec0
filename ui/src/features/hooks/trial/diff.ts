/** What a script changed: the smallest list of places that turns one JSON value into the other. */
import { NumberText } from '../../../shared/lib/json'
import { isRecord, writeJson } from '../../../shared/lib/values'

export interface Change {
  path: string
  kind: 'added' | 'removed' | 'changed'
  before?: unknown
  after?: unknown
}

const PRODUCT_MAX = 250_000

/** The changes from `before` to `after`, in the order of the values. */
export function diff(before: unknown, after: unknown, path = ''): Change[] {
  if (same(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return lists(before, after, path)
  if (!isRecord(before) || !isRecord(after)) return [{ path, kind: 'changed', before, after }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key) => {
    const at = path + step(key)
    if (!Object.hasOwn(after, key)) return [{ path: at, kind: 'removed' as const, before: before[key] }]
    if (!Object.hasOwn(before, key)) return [{ path: at, kind: 'added' as const, after: after[key] }]
    return diff(before[key], after[key], at)
  })
}

/** A member as JavaScript writes it. */
function step(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (a instanceof NumberText && b instanceof NumberText) return a.text === b.text
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]))
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
}

/** Items that stay are found first, so that one removed item is one change and not a shift of all that follow. */
function lists(before: unknown[], after: unknown[], path: string): Change[] {
  const out: Change[] = []
  let [i, j] = [0, 0]
  for (const [keptBefore, keptAfter] of [...kept(before, after), [before.length, after.length] as const]) {
    while (i < keptBefore && j < keptAfter) {
      out.push(...diff(before[i], after[j], `${path}[${i}]`))
      i += 1
      j += 1
    }
    for (; i < keptBefore; i += 1) out.push({ path: `${path}[${i}]`, kind: 'removed', before: before[i] })
    for (; j < keptAfter; j += 1) out.push({ path: `${path}[${j}]`, kind: 'added', after: after[j] })
    i += 1
    j += 1
  }
  return out
}

/** The longest run of items that both lists have in the same order, as pairs of places. */
function kept(before: unknown[], after: unknown[]): (readonly [number, number])[] {
  if (before.length * after.length > PRODUCT_MAX) return []
  const [left, right] = [before.map(text), after.map(text)]
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = left.length - 1; i >= 0; i -= 1) {
    const row = lengths[i] ?? new Uint32Array()
    for (let j = right.length - 1; j >= 0; j -= 1) {
      row[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const pairs: (readonly [number, number])[] = []
  for (let [i, j] = [0, 0]; i < left.length && j < right.length; ) {
    if (left[i] === right[j]) pairs.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  return pairs
}

function text(value: unknown): string {
  return writeJson(sorted(value)) ?? ''
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]))
}
