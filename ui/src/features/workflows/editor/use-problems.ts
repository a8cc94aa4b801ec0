import { useEffect } from 'react'
import { useMay } from '../../../shared/lib/access'
import { withoutDrafts } from '../../../shared/lib/values'
import { validate } from '../api'
import { findProblems, joined, type Told } from './problems'
import { type Doc, editor } from './store'
import { view } from './view'

const LOCAL_MS = 60
const SERVER_MS = 400

/** Looks for problems after every edit: at once by our own rules, a moment later by the gateway's. */
export function useProblems(): void {
  const mayEdit = useMay('editor')
  useEffect(() => {
    let stop = new AbortController()
    let timers: ReturnType<typeof setTimeout>[] = []
    let seen: Doc | undefined
    const look = (doc: Doc, told?: Told[]) => {
      const { kinds } = editor.getState()
      const local = findProblems(doc.graph, kinds, doc.workflowType)
      // What only the gateway finds stays until it has looked again.
      const before = told ? [] : view.getState().problems.filter((problem) => problem.sentence === 'server')
      view.getState().tell([...joined(local, told, doc.graph.nodes), ...before], told === undefined)
    }
    const ask = async (doc: Doc) => {
      // Whoever may only look is not answered by the gateway.
      if (!mayEdit) return view.getState().set({ checking: false })
      try {
        look(doc, await validate(editor.getState().id, { ...doc, graph: withoutDrafts(doc.graph), name: doc.name || '-' }, stop.signal))
      } catch {
        // Without the gateway our own rules have to do.
        if (!stop.signal.aborted) view.getState().set({ checking: false })
      }
    }
    const check = () => {
      const { doc } = editor.getState()
      if (doc === seen || doc.graph.nodes.length === 0) return
      seen = doc
      stop.abort()
      stop = new AbortController()
      for (const timer of timers) clearTimeout(timer)
      timers = [setTimeout(() => look(doc), LOCAL_MS), setTimeout(() => void ask(doc), SERVER_MS)]
    }
    check()
    const leave = editor.subscribe(check)
    return () => {
      leave()
      stop.abort()
      for (const timer of timers) clearTimeout(timer)
      view.getState().tell([], false)
    }
  }, [mayEdit])
}
