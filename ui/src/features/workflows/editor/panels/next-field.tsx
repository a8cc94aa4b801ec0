import { useReactFlow } from '@xyflow/react'
import { useWords } from '../../../../shared/lib/i18n'
import { Button, IconButton } from '../../../../shared/ui'
import { outputOf } from '../../../../shared/ui/graph/flow'
import { type GraphEdge, type GraphNode, inputsOf, namesOf, outputsOf, removeEdges } from '../graph'
import { portsFor } from '../ports'
import { useEditor } from '../store'
import { useView } from '../view'
import { showNode } from '../viewport'
import { words } from '../words'

/** Where a node leads, and the keyboard's way to connect it. */
export function NextField({ node }: { node: GraphNode }) {
  const w = useWords(words)
  const kinds = useEditor((state) => state.kinds)
  const graph = useEditor((state) => state.doc.graph)
  const ports = portsFor(node, kinds)
  const { outputs } = ports
  const edges = outputsOf(graph, node.id)
  // The canvas cannot show these where they begin, and they have to be taken away all the same.
  const strays = edges.filter((edge) => !outputs.includes(outputOf(edge, ports)))
  const inputs = inputsOf(graph, node.id)
  return (
    <>
      {outputs.length + strays.length > 0 && (
        <section aria-label={w.next} className="flex flex-col gap-1.5">
          <h3 className="text-[13px] font-medium">{w.next}</h3>
          {outputs.map((way) => (
            <Output key={way ?? 'out'} way={way} edges={edges.filter((edge) => outputOf(edge, ports) === way)} />
          ))}
          {strays.map((edge) => (
            <Linked key={edge.id} edge={edge} other={edge.target} />
          ))}
        </section>
      )}
      {inputs.length > 0 && (
        <section aria-label={w.previous} className="flex flex-col gap-1">
          <h3 className="text-[13px] font-medium">{w.previous}</h3>
          {inputs.map((edge) => (
            <Linked key={edge.id} edge={edge} other={edge.source} />
          ))}
        </section>
      )}
    </>
  )
}

function Output({ way, edges }: { way: string | null; edges: readonly GraphEdge[] }) {
  const w = useWords(words)
  const set = useView((state) => state.set)
  return (
    <div className="flex flex-col gap-1">
      {way !== null && <span className="text-xs text-faint">{w.way(way)}</span>}
      {edges.map((edge) => (
        <Linked key={edge.id} edge={edge} other={edge.target} />
      ))}
      {(way === null || edges.length === 0) && (
        <Button
          size="small"
          icon="link"
          className="self-start"
          aria-label={way === null ? w.nextAdd : `${w.way(way)}: ${w.nextAdd}`}
          onClick={() => set({ finder: 'next', way })}
        >
          {w.nextAdd}
        </Button>
      )}
    </div>
  )
}

function Linked({ edge, other }: { edge: GraphEdge; other: string }) {
  const w = useWords(words)
  const flow = useReactFlow()
  const editGraph = useEditor((state) => state.editGraph)
  const label = useEditor((state) => namesOf(state.doc.graph)(other))
  return (
    <div className="flex items-center gap-1 rounded-md border border-line bg-sunken pl-2">
      <button type="button" onClick={() => showNode(flow, other)} className="min-w-0 flex-1 truncate text-left text-[13px] hover:underline">
        {label}
      </button>
      <IconButton icon="cross" size="small" label={w.unlink(label)} onClick={() => editGraph((graph) => removeEdges(graph, new Set([edge.id])))} />
    </div>
  )
}
