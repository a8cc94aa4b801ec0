/** What a run did, beside the document: a change here draws the nodes it concerns and nothing else. */
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Graph } from '../../../shared/lib/graph'
import { type NodeState, type Run, timeOf, wayOf } from '../../../shared/lib/run'

/** What the canvas shows on one node. */
export interface Mark {
  readonly state: NodeState
  readonly time?: number
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

export const shownRun = createStore<RunState>()((set) => ({
  run: null,
  marks: new Map(),
  way: new Set(),
  show: (run, graph, latest) => {
    if (!run) set({ run: null, marks: new Map(), way: new Set() })
    else set({ run, marks: marksOf(run, latest), way: wayOf(run, graph) })
  },
}))

/** Follows a part of what the shown run did. */
export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(shownRun, select)
}

/** The marks of a run, with counts over the latest runs. */
export function marksOf(run: Run, latest: readonly Run[]): Map<string, Mark> {
  const slow = Object.values(run.results).reduce((most, node) => Math.max(most, timeOf(node) ?? 0), 0)
  const ran = (id: string) => latest.filter((other) => (other.results[id]?.state ?? 'skipped') !== 'skipped').length
  return new Map(
    Object.entries(run.results).map(([id, node]) => {
      const time = timeOf(node)
      const mark = { state: node.state, count: ran(id), slowest: time !== undefined && time > 0 && time === slow }
      return [id, time === undefined ? mark : { ...mark, time }]
    }),
  )
}
