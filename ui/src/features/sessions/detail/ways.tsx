import { type Graph, namesOf } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Icon, Notice, Time } from '../../../shared/ui'
import type { Decision, Session } from '../types'
import { words } from '../words'
import { undecided } from './steps'

/** The conditions of the graph that a session came to, each with the way that was taken, and the one it comes to next. */
export function Ways({ session, graph }: { session: Session; graph: Graph | undefined }) {
  const w = useWords(words)
  const decisions = session.decisions ?? []
  const open = undecided(session, graph)
  if (decisions.length === 0 && !open) return null
  const nameOf = namesOf(graph ?? { nodes: [] })
  return (
    <section aria-label={w.ways} className="flex flex-col gap-1.5">
      <h3 className="text-[13px] font-medium">{w.ways}</h3>
      <ol className="flex flex-col gap-1.5">
        {decisions.map((decision) => <Way key={decision.nodeId} name={nameOf(decision.nodeId)} decision={decision} />)}
        {open && <Way name={nameOf(open.id)} />}
      </ol>
    </section>
  )
}

function Way({ name, decision }: { name: string; decision?: Decision }) {
  const w = useWords(words)
  const way = decision?.way ?? undefined
  const tone = way === undefined ? (decision ? 'bad' : 'neutral') : 'warn'
  return (
    <li className="flex flex-col gap-1 text-[13px]">
      <span className="flex items-center gap-2">
        <Icon name="branch" size={14} className="shrink-0 text-faint" />
        <span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
        <Badge tone={tone} className="shrink-0">{decision ? w.way(way) : w.wayOpen}</Badge>
        {decision && <Time at={decision.timestamp} className="ml-auto shrink-0 text-xs text-muted" />}
      </span>
      {decision?.error && <Notice tone={way === undefined ? 'bad' : 'warn'}>{decision.error}</Notice>}
    </li>
  )
}
