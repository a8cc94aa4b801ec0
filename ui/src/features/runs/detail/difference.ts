/** The difference of two JSON values, line by line. */
import { writeJson } from '../../../shared/lib/values'

export type Line = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string } | { readonly kind: 'gap'; readonly count: number }

const MOST = 1500
const AROUND = 3

const linesOf = (value: unknown): string[] => (value === undefined ? [] : writeJson(value, 2).split('\n'))

/** The lines that went and came, with a few around them; nothing when the values are too large to compare. */
export function differenceOf(before: unknown, after: unknown): Line[] | undefined {
  const [old, now] = [linesOf(before), linesOf(after)]
  if (old.length > MOST || now.length > MOST) return undefined
  return shortened(aligned(old, now))
}

/** Both lists side by side, along their longest common part. */
function aligned(old: readonly string[], now: readonly string[]): Exclude<Line, { kind: 'gap' }>[] {
  const width = now.length + 1
  const length = new Uint16Array((old.length + 1) * width)
  const at = (row: number, column: number) => length[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const same = old[row] === now[column]
      length[row * width + column] = same ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: Exclude<Line, { kind: 'gap' }>[] = []
  let [row, column] = [0, 0]
  while (row < old.length || column < now.length) {
    const [was, is] = [old[row], now[column]]
    if (was !== undefined && was === is) {
      lines.push({ kind: 'same', text: was })
      row += 1
      column += 1
    } else if (was !== undefined && (is === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: was })
      row += 1
    } else {
      lines.push({ kind: 'added', text: is ?? '' })
      column += 1
    }
  }
  return lines
}

/** Leaves out what is the same and far from any change. */
function shortened(lines: readonly Exclude<Line, { kind: 'gap' }>[]): Line[] {
  const near = new Set<number>()
  for (const [index, line] of lines.entries()) {
    if (line.kind !== 'same') for (let at = index - AROUND; at <= index + AROUND; at += 1) near.add(at)
  }
  const shown: Line[] = []
  let left = 0
  for (const [index, line] of lines.entries()) {
    if (!near.has(index)) {
      left += 1
      continue
    }
    if (left > 0) shown.push({ kind: 'gap', count: left })
    left = 0
    shown.push(line)
  }
  return left > 0 && shown.length > 0 ? [...shown, { kind: 'gap', count: left }] : shown
}
