import { useEffect, useRef } from 'react'
import { classes } from '../../../shared/lib/classes'
import { type Graph, isAside, namesOf } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { type Outcome, outcomeOf, type Run, timeOf } from '../../../shared/lib/run'
import { Duration, Icon } from '../../../shared/ui'
import { faceOf, fills, outcomeTones } from '../../../shared/ui/graph/face'
import { words } from '../words'
import { aheadOf, type Bar, barsOf, type Passage } from './journey'

interface WaterfallProps {
  run: Run
  graph: Graph
  journey: readonly Passage[]
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
}

/** When each node ran and for how long, so that slow ones stand out. */
export function Waterfall({ run, graph, journey, chosen, onChoose }: WaterfallProps) {
  const w = useWords(words)
  const bars = barsOf(run)
  const nameOf = namesOf(graph)
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  const ahead = aheadOf(run, graph)
  const slow = run.status === 'running' ? 0 : Math.max(...journey.map(({ node }) => timeOf(node) ?? 0))
  return (
    <section aria-label={w.waterfall} className="flex min-h-40 flex-col border-t border-line bg-surface md:max-h-[42%]">
      <h2 className="flex items-center justify-between px-4 py-2 text-xs font-semibold text-muted">
        {w.waterfall}
        <Duration ms={run.durationMs} className="font-normal" />
      </h2>
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {journey.map(({ id, node }) => {
          const own = nodes.get(id)
          return (
            <li key={id}>
              <Row
                label={nameOf(id)}
                icon={faceOf(own?.type ?? '', own && isAside(own)).icon}
                aside={own ? isAside(own) : false}
                outcome={outcomeOf(node)}
                word={w.states(outcomeOf(node), ahead.has(id))}
                time={timeOf(node)}
                slowest={slow > 0 && timeOf(node) === slow}
                bar={bars.get(id)}
                active={id === chosen}
                onChoose={() => onChoose(id)}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

interface RowProps {
  label: string
  icon: ReturnType<typeof faceOf>['icon']
  aside: boolean
  outcome: Outcome
  word: string
  time: number | undefined
  slowest: boolean
  bar: Bar | undefined
  active: boolean
  onChoose: () => void
}

/** What a row says beside its bar; that it just went by or was not run is seen. */
const silent: ReadonlySet<Outcome> = new Set(['completed', 'running', 'skipped'])

const texts = { neutral: '', accent: '', good: '', info: '', warn: 'text-warn-text', bad: 'text-bad-text' }

function Row({ label, icon, aside, outcome, word, time, slowest, bar, active, onChoose }: RowProps) {
  const w = useWords(words)
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <button
      ref={row}
      type="button"
      aria-pressed={active}
      onClick={onChoose}
      className={classes(
        'grid w-full grid-cols-[8rem_1fr_5.5rem] md:grid-cols-[minmax(8rem,14rem)_1fr_5.5rem] items-center gap-3 rounded-md px-2 py-1 text-left text-[13px] hover:bg-hover focus-visible:outline-offset-[-2px]',
        active && 'bg-accent-soft',
      )}
    >
      <span className="flex min-w-0 items-center gap-2">
        <Icon name={icon} size={14} className={outcomeTones[outcome] === 'bad' ? 'text-bad' : 'text-faint'} />
        <span title={label} className={classes('truncate', outcome === 'skipped' && 'text-faint')}>{label}</span>
        {!silent.has(outcome) && <span className={classes('shrink-0 text-xs', texts[outcomeTones[outcome]])}>{word}</span>}
        {aside && <span className="truncate text-xs text-faint">{w.sideNode}</span>}
      </span>
      <span className="relative h-3 overflow-hidden rounded-sm bg-sunken">
        {bar && (
          <span
            className={classes('absolute inset-y-0 min-w-[3px] rounded-sm', fills[outcomeTones[outcome]], outcome === 'running' && 'animate-pulse-soft', aside && 'opacity-55')}
            style={{ left: `min(${bar.left * 100}%, 100% - 3px)`, width: `${bar.width * 100}%` }}
          />
        )}
      </span>
      <span className="flex items-center justify-end gap-1 text-xs text-muted">
        {slowest && <Icon name="clock" size={12} className="text-warn" />}
        {slowest && <span className="sr-only">{w.slowest}</span>}
        {time === undefined ? word : <Duration ms={time} />}
      </span>
    </button>
  )
}
