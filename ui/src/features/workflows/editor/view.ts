/** What is open in the editor at the moment; nothing of it is saved or undone. */
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Draft } from './draft'
import type { Position } from './graph'
import type { Problem } from './problems'

/** Where a new node is to go. */
export type Target =
  | { readonly kind: 'edge'; readonly edge: string }
  | { readonly kind: 'after'; readonly node: string; readonly way?: string | null; readonly at?: Position }
  | { readonly kind: 'before'; readonly node: string; readonly at: Position }
  | { readonly kind: 'free'; readonly at: Position }

export interface Picker {
  /** Where the list opens, in the window. */
  readonly x: number
  readonly y: number
  readonly target: Target
}

export interface PointMenu {
  readonly x: number
  readonly y: number
  readonly on: { kind: 'nodes' } | { kind: 'edge'; id: string } | { kind: 'pane'; at: Position }
}

export type Panel = 'inspector' | 'problems' | 'run'

interface View {
  /** Names the opening of the page, and the workflow, that it all belongs to. */
  visit: string
  picker: Picker | null
  menu: PointMenu | null
  finder: 'search' | 'next' | null
  /** The output that `next` of the finder leads from. */
  way: string | null
  panel: Panel
  /** Whether the panel is folded to its tabs, in a window that has it below the canvas. */
  folded: boolean
  sheet: boolean
  /** Whether the list of older versions is open. */
  versions: boolean
  /** The edge whose end is being moved to another node. */
  moving: string | null
  map: boolean
  problems: readonly Problem[]
  /** How bad the worst problem of a node is. */
  broken: ReadonlyMap<string, 'error' | 'warning'>
  checking: boolean
  /** The names of hooks by their ids, for nodes that use one as a module. */
  modules: ReadonlyMap<string, string>
  /** What was left unsaved the last time, until the reader has decided. */
  draft: Draft | null
  set: (part: Partial<Omit<View, 'set' | 'tell'>>) => void
  tell: (problems: readonly Problem[], checking: boolean) => void
}

/** Whether the canvas is wide enough to give a corner to the map; else it is shown when it is asked for. */
function hasRoom(): boolean {
  return typeof window !== 'undefined' && window.matchMedia('(min-width: 80rem)').matches
}

export const view = createStore<View>()((set) => ({
  visit: '',
  picker: null,
  menu: null,
  finder: null,
  way: null,
  panel: 'inspector',
  folded: true,
  sheet: false,
  versions: false,
  moving: null,
  map: hasRoom(),
  problems: [],
  broken: new Map(),
  checking: false,
  modules: new Map(),
  draft: null,
  set: (part) => set(part),
  tell: (problems, checking) => {
    const broken = new Map<string, 'error' | 'warning'>()
    for (const { node, severity } of problems) {
      if (node && broken.get(node) !== 'error') broken.set(node, severity)
    }
    set({ problems, broken, checking })
  },
}))

/** Follows a part of what is open. */
export function useView<T>(select: (state: View) => T): T {
  return useStore(view, select)
}
