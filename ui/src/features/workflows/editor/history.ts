/** Undo and redo over whole snapshots; they are immutable and share what did not change, so that they cost little. */

export type History<T> = { readonly past: readonly T[]; readonly future: readonly T[] }

const MOST = 200

export const EMPTY: History<never> = { past: [], future: [] }

/** Notes the snapshot from before a change. */
export function noted<T>(history: History<T>, before: T): History<T> {
  return { past: [...history.past.slice(-(MOST - 1)), before], future: [] }
}

/** One step back from `now`; nothing when there is none. */
export function undone<T>(history: History<T>, now: T): { history: History<T>; now: T } | undefined {
  const before = history.past.at(-1)
  if (before === undefined) return undefined
  return { history: { past: history.past.slice(0, -1), future: [now, ...history.future] }, now: before }
}

/** One step forward again. */
export function redone<T>(history: History<T>, now: T): { history: History<T>; now: T } | undefined {
  const after = history.future[0]
  if (after === undefined) return undefined
  return { history: { past: [...history.past, now], future: history.future.slice(1) }, now: after }
}
