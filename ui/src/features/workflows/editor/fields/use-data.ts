import { textOf, writeJson } from '../../../../shared/lib/values'
import { changeData, type GraphNode } from '../graph'
import { useEditor } from '../store'

/** Reads and changes the data of a node. Edits with the same field name are one step of undo. */
export function useData(node: GraphNode) {
  const editGraph = useEditor((state) => state.editGraph)
  const set = (change: Readonly<Record<string, unknown>>, field?: string) => {
    const same = Object.entries(change).every(([key, value]) => writeJson(node.data[key]) === writeJson(value))
    if (!same) editGraph((graph) => changeData(graph, node.id, change), field && `${node.id} ${field}`)
  }
  const text = (key: string): string => textOf(node.data[key])
  return { set, text }
}
