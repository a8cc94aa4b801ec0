/** The state of the editor: the document with its history, what is selected, and what was refused last. */
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { WorkflowView } from '../../../shared/api/types'
import { copyText, paste, type Pasted, partOf } from './clipboard'
import { deleteParts } from './edits'
import { boundsOf, GAP, type Graph, moveNodes, NODE, type Position, readGraph } from './graph'
import { EMPTY, type History, noted, redone, undone } from './history'
import { connect, type Connection, type Kinds, kindsOf, type NodeType, type Refusal, type WorkflowType } from './rules'

/** Everything that is saved together and undone together. */
export interface Doc {
  readonly name: string
  readonly description: string
  readonly workflowType: WorkflowType
  readonly graph: Graph
}

type Ids = ReadonlySet<string>

const NONE: Ids = new Set()
const NOWHERE: ReadonlyMap<string, Position> = new Map()

interface State {
  readonly id: string
  readonly doc: Doc
  /** The document as the server has it. */
  readonly saved: Doc
  /** The revision that `saved` has. */
  readonly revision: number
  readonly history: History<Doc>
  /** Where nodes are while they are being dragged. The document changes once, when they are let go. */
  readonly dragged: ReadonlyMap<string, Position> | null
  /** Names the field of the last edit, so that typing in it is one step of undo. */
  readonly field: string | null
  readonly nodes: Ids
  readonly edges: Ids
  readonly types: readonly NodeType[]
  readonly kinds: Kinds
  readonly refusal: Refusal | null
  /** Whether it can only be looked at. */
  readonly readOnly: boolean
  /** Whether it stands in the config file, so that no role can change it here. */
  readonly fixed: boolean
}

interface Actions {
  load: (view: WorkflowView, types: readonly NodeType[]) => void
  /** The server now has this. */
  stored: (doc: Doc, revision: number) => void
  /** Takes over a document from elsewhere, as one step of undo. */
  adopt: (doc: Doc, saved?: { doc: Doc; revision: number }) => void
  edit: (change: (doc: Doc) => Doc, field?: string) => void
  editGraph: (change: (graph: Graph, kinds: Kinds, type: WorkflowType) => Graph, field?: string) => void
  /** Adds nodes by an edit that tells their id, and selects them. */
  add: (change: (graph: Graph, kinds: Kinds, type: WorkflowType) => { graph: Graph; id: string }) => string
  /** A drag begins; until `commit`, the document stays as it is. */
  begin: () => void
  drag: (places: ReadonlyMap<string, Position>) => void
  commit: () => void
  undo: () => void
  redo: () => void
  select: (nodes: Ids, edges?: Ids) => void
  connect: (connection: Connection) => boolean
  refuse: (refusal: Refusal | null) => void
  remove: () => void
  copy: () => string | null
  paste: (part: Graph, at: Position) => Pasted
  duplicate: () => void
}

export type Editor = State & Actions

const EMPTY_DOC: Doc = { name: '', description: '', workflowType: 'tools/call', graph: { nodes: [], edges: [] } }

/** The document of a workflow as the API shows it. */
export function docOf(view: WorkflowView): Doc {
  return {
    name: view.name,
    description: view.description ?? '',
    workflowType: view.workflowType,
    graph: readGraph(view.nodes, view.edges),
  }
}

/** The one editor of a page. */
export const editor = createStore<Editor>()((set, get) => {
  const change = (doc: Doc, field: string | null = null) => {
    const { doc: before, history, field: last } = get()
    if (doc === before || get().readOnly) return
    const again = field !== null && field === last
    set({ doc, history: again ? { ...history, future: [] } : noted(history, before), field, refusal: null })
  }
  const step = (next: { history: History<Doc>; now: Doc } | undefined) => {
    if (!next) return
    const { nodes, edges } = kept(next.now.graph, get())
    set({ doc: next.now, history: next.history, dragged: null, field: null, nodes, edges, refusal: null })
  }
  return {
    id: '',
    doc: EMPTY_DOC,
    saved: EMPTY_DOC,
    revision: 0,
    history: EMPTY,
    dragged: null,
    field: null,
    nodes: NONE,
    edges: NONE,
    types: [],
    kinds: kindsOf([]),
    refusal: null,
    readOnly: false,
    fixed: false,

    load: (view, types) => {
      const doc = docOf(view)
      const clean = { history: EMPTY, dragged: null, field: null, nodes: NONE, edges: NONE, refusal: null }
      set({ id: view.id, doc, saved: doc, revision: view.revision, types, kinds: kindsOf(types), ...clean })
    },
    stored: (doc, revision) => set({ saved: doc, revision, field: null }),
    adopt: (doc, saved) => {
      change(doc)
      if (saved) set({ saved: saved.doc, revision: saved.revision })
    },
    edit: (make, field) => change(make(get().doc), field),
    editGraph: (make, field) => {
      const { doc, kinds } = get()
      const graph = make(doc.graph, kinds, doc.workflowType)
      if (graph !== doc.graph) change({ ...doc, graph }, field)
    },
    add: (make) => {
      const { doc, kinds } = get()
      const { graph, id } = make(doc.graph, kinds, doc.workflowType)
      change({ ...doc, graph })
      if (!get().readOnly) set({ nodes: new Set([id]), edges: NONE })
      return id
    },

    begin: () => set({ dragged: NOWHERE, field: null }),
    drag: (places) => {
      const { doc, dragged } = get()
      if (dragged) set({ dragged: new Map([...dragged, ...places]) })
      else change({ ...doc, graph: moveNodes(doc.graph, places) }, `move ${[...places.keys()].join(' ')}`)
    },
    commit: () => {
      const { doc, dragged } = get()
      const graph = moveNodes(doc.graph, dragged ?? NOWHERE)
      set({ dragged: null })
      if (graph !== doc.graph) change({ ...doc, graph })
    },

    undo: () => step(undone(get().history, get().doc)),
    redo: () => step(redone(get().history, get().doc)),
    select: (nodes, edges = NONE) => set({ nodes, edges, field: null }),
    connect: (connection) => {
      const { doc, kinds } = get()
      const result = connect(doc.graph, kinds, doc.workflowType, connection)
      if ('refusal' in result) set({ refusal: result.refusal })
      else change({ ...doc, graph: result.graph })
      return 'graph' in result
    },
    refuse: (refusal) => set({ refusal }),
    remove: () => {
      const { doc, kinds, nodes, edges } = get()
      const graph = deleteParts(doc.graph, kinds, doc.workflowType, nodes, edges)
      if (!hasSameParts(graph, doc.graph)) change({ ...doc, graph })
      set(kept(get().doc.graph, get()))
    },
    copy: () => {
      const { doc, nodes } = get()
      return nodes.size > 0 ? copyText(doc.graph, nodes) : null
    },
    paste: (part, at) => {
      const { doc, kinds } = get()
      const pasted = paste(doc.graph, part, kinds, doc.workflowType, at)
      if (pasted.added.size > 0 && !get().readOnly) {
        change({ ...doc, graph: pasted.graph })
        set({ nodes: pasted.added, edges: NONE })
      }
      return pasted
    },
    duplicate: () => {
      const { doc, nodes, paste: put } = get()
      const part = partOf(doc.graph, nodes)
      const { x, y } = boundsOf(part.nodes)
      if (part.nodes.length > 0) put(part, { x: x + 32, y: y + NODE.height + GAP.y })
    },
  }
})

/** Follows a part of the editor's state. */
export function useEditor<T>(select: (state: Editor) => T): T {
  return useStore(editor, select)
}

function hasSameParts(one: Graph, other: Graph): boolean {
  return one.nodes.length === other.nodes.length && one.edges.length === other.edges.length
}

/** What is left of a selection. */
function kept(graph: Graph, { nodes, edges }: Pick<State, 'nodes' | 'edges'>): { nodes: Ids; edges: Ids } {
  const [ids, lines] = [new Set(graph.nodes.map(({ id }) => id)), new Set(graph.edges.map(({ id }) => id))]
  return {
    nodes: new Set([...nodes].filter((id) => ids.has(id))),
    edges: new Set([...edges].filter((id) => lines.has(id))),
  }
}

/** Whether there is something that the server does not have. */
export function isDirty({ doc, saved }: Pick<State, 'doc' | 'saved'>): boolean {
  return doc !== saved
}
