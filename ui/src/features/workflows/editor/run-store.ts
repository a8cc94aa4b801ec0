/** What a run did, beside the document: a change here draws the nodes it concerns and nothing else. */
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Graph } from '../../../shared/lib/graph'
import { type Deed, deedOf, type NodeState, type Run, sinceOf, timeOf, wayOf } from '../../../shared/lib/run'

/** What the canvas shows on one node. */
export interface Mark {
  readonly state: NodeState
  readonly deed?: Deed
  readonly time?: number
  /** When it began, of one that runs. */
  readonly since?: number
  /** In how many of the latest runs it ran. */
  readonly count: number
  /** Whether it took the most time of all. */
  readonly slowest: boolean
}

interface RunState {
  readonly run: Run | null
  readonly marks: ReadonlyMap<string, Mark>
  /** The edges of the way taken. */
  readonly way: ReadonlySet<string>
  show: (run: Run | null, graph: Graph, latest: readonly Run[]) => void
}

export const shownRun = createStore<RunState>()((set, get) => ({
  run: null,
  marks: new Map(),
  way: new Set(),
  show: (run, graph, latest) => {
    if (!run) set({ run: null, marks: new Map(), way: new Set() })
    else set({ run, marks: sparing(get().marks, marksOf(run, latest)), way: wayOf(run, graph) })
  },
}))

/** Follows a part of what the shown run did. */
export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(shownRun, select)
}

/** The marks of a run, with counts over the latest runs. */
export function marksOf(run: Run, latest: readonly Run[]): Map<string, Mark> {
  // Which node is the slowest is known at the end.
  const slow = run.status === 'running' ? -1 : Object.values(run.results).reduce((most, node) => Math.max(most, timeOf(node) ?? 0), 0)
  const ran = (id: string) => latest.filter((other) => (other.results[id]?.state ?? 'skipped') !== 'skipped').length
  return new Map(
    Object.entries(run.results).map(([id, node]) => {
      const time = timeOf(node)
      const mark = { state: node.state, ...deedOf(node), ...sinceOf(node), count: ran(id), slowest: time !== undefined && time > 0 && time === slow }
      return [id, time === undefined ? mark : { ...mark, time }]
    }),
  )
}

/** The new marks, with those that say the same as before left as they are: their nodes are not drawn again. */
export function sparing(before: ReadonlyMap<string, Mark>, now: ReadonlyMap<string, Mark>): Map<string, Mark> {
  return new Map([...now].map(([id, mark]) => {
    const old = before.get(id)
    return [id, old && isSame(old, mark) ? old : mark]
  }))
}

function isSame(one: Mark, other: Mark): boolean {
  return one.state === other.state && one.deed === other.deed && one.time === other.time && one.since === other.since && one.count === other.count && one.slowest === other.slowest
}
