import type { ReactNode } from 'react'
import { formatBytes } from '../../../shared/lib/format'
import { type Graph, isAside, namesOf } from '../../../shared/lib/graph'
import { useWords } from '../../../shared/lib/i18n'
import { outcomeOf, type Run, timeOf } from '../../../shared/lib/run'
import { writeJson } from '../../../shared/lib/values'
import { verdictText, verdictWords } from '../../../shared/lib/verdict'
import { Badge, Button, CopyButton, Duration, Icon, JsonView, Notice, Tabs } from '../../../shared/ui'
import { faceOf, outcomeTones } from '../../../shared/ui/graph/face'
import { RunTime } from '../../../shared/ui/graph/run-time'
import { words } from '../words'
import { Changes } from './changes'
import { aheadOf, type Passage } from './journey'
import { KEPT, omittedOf } from './omitted'

interface RunInspectorProps {
  run: Run
  graph: Graph
  journey: readonly Passage[]
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
}

/** What the chosen node did, or the run as a whole. */
export function RunInspector({ run, graph, journey, chosen, onChoose }: RunInspectorProps) {
  const w = useWords(words)
  const passage = journey.find(({ id }) => id === chosen)
  return (
    <aside aria-label={w.inspector} className="shrink-0 border-line bg-surface p-4 max-md:border-t md:w-80 md:overflow-y-auto md:border-l xl:w-[26rem]">
      {passage ? <NodeDetail key={passage.id} graph={graph} passage={passage} ahead={aheadOf(run, graph).has(passage.id)} onClose={() => onChoose(undefined)} /> : <RunOverview run={run} />}
    </aside>
  )
}

function RunOverview({ run }: { run: Run }) {
  const w = useWords(words)
  const client = (run.context as { metadata?: { clientId?: string } }).metadata?.clientId
  return (
    <div className="flex flex-col gap-4">
      <h2 className="text-[13px] font-semibold">{w.wholeRun}</h2>
      <dl className="grid grid-cols-[6rem_1fr] items-center gap-x-3 gap-y-1.5 text-[13px]">
        <Fact name={w.took}><RunTime run={run} /></Fact>
        <Fact name={w.version}>{run.version}</Fact>
        {client && <Fact name={w.client}>{client}</Fact>}
        <Fact name="ID"><span className="font-mono text-xs">{run.id}</span> <CopyButton text={run.id} /></Fact>
      </dl>
      <Value title={w.request} value={run.context} />
      {run.mcpResult === null ? <p className="text-[13px] text-muted">{run.status === 'running' ? w.noReplyYet : w.noReply}</p> : <Value title={w.reply} value={run.mcpResult} />}
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}

function Value({ title, value }: { title: string; value: unknown }) {
  const w = useWords(words)
  const omitted = omittedOf(value)
  if (omitted !== undefined) {
    return (
      <section aria-label={title} className="flex flex-col gap-1.5">
        <h3 className="text-[13px] font-medium">{title}</h3>
        <p className="rounded-lg bg-sunken px-3 py-2 text-[13px] text-muted">{w.omitted(formatBytes(omitted), formatBytes(KEPT))}</p>
      </section>
    )
  }
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h3 className="flex items-center justify-between text-[13px] font-medium">
        {title}
        <CopyButton text={() => writeJson(value, 2) ?? ''} />
      </h3>
      <JsonView value={value} className="max-h-96 overflow-auto rounded-lg border border-line bg-sunken p-2" />
    </section>
  )
}

function NodeDetail({ graph, passage, ahead, onClose }: { graph: Graph; passage: Passage; ahead: boolean; onClose: () => void }) {
  const w = useWords(words)
  const own = graph.nodes.find(({ id }) => id === passage.id)
  const { state, error } = passage.node
  const outcome = outcomeOf(passage.node)
  const why = outcome === 'blocked' ? (passage.node.result as { error?: { message?: string } }).error?.message : error
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-2">
        <Icon name={faceOf(own?.type ?? '', own && isAside(own)).icon} className="text-accent-text" />
        <h2 className="min-w-0 flex-1 truncate text-[13px] font-semibold">{namesOf(graph)(passage.id)}</h2>
        <Badge tone={outcomeTones[outcome]}>{w.states(outcome, ahead)}</Badge>
        <Duration ms={timeOf(passage.node)} className="text-[13px] text-muted" />
      </div>
      {why && <Notice tone="bad">{why}</Notice>}
      {state === 'skipped' ? <p className="text-[13px] text-muted">{ahead ? w.notYet : w.notRun}</p> : <NodeTabs passage={passage} expression={own?.data['expression']} />}
      <Button size="small" look="quiet" icon="left" className="self-start" onClick={onClose}>{w.wholeRun}</Button>
    </div>
  )
}

function NodeTabs({ passage, expression }: { passage: Passage; expression: unknown }) {
  const w = useWords(words)
  const v = useWords(verdictWords)
  const { node, params, response } = passage
  const [input, output] = response[0] === undefined && response[1] === undefined ? params : response[0] === undefined ? [params[0], response[1]] : response
  const result = node.result as { value?: unknown; variables?: unknown; verdict?: string } | null
  const lines = node.console ?? []
  return (
    <>
      {result?.value !== undefined && <Branch value={result.value} expression={expression} />}
      {result?.verdict && <p className="text-[13px]"><span className="text-faint">{w.verdict}</span> {verdictText(v, result.verdict)}</p>}
      {result?.variables !== undefined && <Value title={w.variables} value={result.variables} />}
      <Tabs
        label={w.inspector}
        tabs={[
          { value: 'changes', label: w.changes, content: <Changes passage={passage} /> },
          { value: 'input', label: w.input, content: <Value title={w.input} value={input} /> },
          { value: 'output', label: w.output, content: <Value title={w.output} value={output} /> },
          { value: 'console', label: <>{w.console}{lines.length > 0 && <Badge>{lines.length}</Badge>}</>, content: <ConsoleLines lines={lines} /> },
        ]}
      />
    </>
  )
}

function Branch({ value, expression }: { value: unknown; expression: unknown }) {
  const w = useWords(words)
  return (
    <div className="rounded-lg bg-warn-soft px-3 py-2 text-[13px] text-warn-text">
      <p>
        {w.branch}: <strong>{value ? w.branchTrue : w.branchFalse}</strong>{w.because}
      </p>
      {typeof expression === 'string' && <code className="mt-1 block font-mono text-xs [overflow-wrap:anywhere]">{expression}</code>}
    </div>
  )
}

function ConsoleLines({ lines }: { lines: readonly { level: string; text: string }[] }) {
  const w = useWords(words)
  if (lines.length === 0) return <p className="text-[13px] text-muted">{w.noConsole}</p>
  const tones: Record<string, string> = { error: 'text-bad-text', warn: 'text-warn-text' }
  return (
    <ol className="max-h-96 overflow-auto rounded-lg border border-line bg-sunken p-2 font-mono text-xs">
      {lines.map(({ level, text }, at) => (
        <li key={at} className={`flex gap-2 ${tones[level] ?? ''}`}>
          <span className="shrink-0 text-faint">{level}</span>
          <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</span>
        </li>
      ))}
    </ol>
  )
}
