import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from '../../shared/lib/classes'
import { useWords } from '../../shared/lib/i18n'
import { verdictText, verdictWords } from '../../shared/lib/verdict'
import { Badge, CopyButton, Dialog, Duration, Icon, StatusDot, Time } from '../../shared/ui'
import type { Ran, RequestView } from './api'
import { toneOf } from './filters'
import { words } from './words'

// A small window has three columns, with the outcome and the client below the tool.
const COLUMNS =
  'grid grid-cols-[4.5rem_minmax(0,1fr)_4rem] md:grid-cols-[7rem_minmax(6rem,1fr)_4rem_8rem_minmax(8rem,1.6fr)_5rem_3.5rem_minmax(7rem,1.3fr)] whitespace-nowrap items-center gap-3 px-4 md:px-6'
const wide = 'hidden md:block'

/** The heads of the columns; screen readers hear them with each row. */
export function RequestHead() {
  const w = useWords(words)
  return (
    <div aria-hidden className={`${COLUMNS} border-b border-line bg-surface py-2 text-xs font-medium text-faint`}>
      <span>{w.when}</span>
      <span className={wide}>{w.client}</span>
      <span className={wide}>{w.way}</span>
      <span className={wide}>{w.method}</span>
      <span>{w.tool}</span>
      <span className="text-right">{w.took}</span>
      <span className={`${wide} text-right`}>{w.hooks}</span>
      <span className={`${wide} pl-3`}>{w.outcome}</span>
    </div>
  )
}

/** One request of the log; a press shows all of it. */
export function RequestRow({ request, onChoose }: { request: RequestView; onChoose: () => void }) {
  const w = useWords(words)
  const { at, client, way, method, durationUs, hooks } = request
  const outcome = w.outcomes(request.outcome)
  return (
    <button type="button" onClick={onChoose} className={`${COLUMNS} h-[41px] w-full border-b border-line text-left text-[13px] hover:bg-hover focus-visible:outline-offset-[-2px]`}>
      <Time at={at} className="truncate text-muted" />
      <span className={`${wide} truncate`}>{client}</span>
      <span className={`${wide} text-xs text-muted`}>{way}</span>
      <span className={`${wide} truncate font-mono text-xs text-muted`}>{method}</span>
      <span className="min-w-0">
        <span className={classes('block truncate font-mono text-xs', !request.server && !request.tool && 'md:hidden')}>{subjectOf(request)}</span>
        <span className="flex items-center gap-1.5 text-[11px] leading-4 text-muted md:hidden">
          <StatusDot tone={toneOf(request)} /><span className="min-w-0 truncate">{outcome} · {client} · {way}</span>
        </span>
      </span>
      <Duration ms={durationUs / 1000} className="text-right text-muted" />
      <span className={`${wide} text-right text-xs text-muted tabular-nums`}>{hooks.length > 0 && hooks.length}</span>
      <span className="hidden min-w-0 items-center gap-2 pl-3 md:flex"><StatusDot tone={toneOf(request)} /><span className="truncate">{outcome}</span></span>
    </button>
  )
}

function subjectOf({ server, tool, method }: RequestView): string {
  return [server, tool].filter(Boolean).join(' / ') || method
}

/** Everything about one request. */
export function RequestDialog({ request, onClose }: { request: RequestView; onClose: () => void }) {
  const w = useWords(words)
  const { id, at, client, way, method, server, tool, durationUs, serverUs, hooksUs, hooks, traceId, outcome } = request
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={w.request(id)}>
      <dl className="grid grid-cols-[7rem_1fr] items-center gap-x-3 gap-y-1.5 text-[13px]">
        <Fact name={w.when}><Time at={at} /></Fact>
        <Fact name={w.client}>{client}</Fact>
        <Fact name={w.way}>{way}</Fact>
        <Fact name={w.method}><code className="font-mono text-xs">{method}</code></Fact>
        {server && <Fact name={w.server}>{server}</Fact>}
        {tool && <Fact name={w.tool}><code className="font-mono text-xs">{tool}</code></Fact>}
        <Fact name={w.outcome}><Badge tone={toneOf(request)}>{w.outcomes(outcome)}</Badge></Fact>
        <Fact name={w.took}><Duration ms={durationUs / 1000} /></Fact>
        {typeof serverUs === 'number' && <Fact name={w.ofServer}><Duration ms={serverUs / 1000} /></Fact>}
        {hooksUs > 0 && <Fact name={w.ofHooks}><Duration ms={hooksUs / 1000} /></Fact>}
        {traceId && <Fact name={w.trace}><code className="font-mono text-xs">{traceId}</code> <CopyButton text={traceId} /></Fact>}
      </dl>
      <h3 className="mt-4 mb-1.5 text-[13px] font-medium">{w.hooksRan}</h3>
      {hooks.length === 0 ? <p className="text-[13px] text-muted">{w.noHooks}</p> : <Hooks hooks={hooks} />}
      {server && tool && (
        <Link to="/tools" search={{ server, tool } as never} className="mt-4 inline-flex items-center gap-1.5 text-[13px] text-accent-text hover:underline">
          {w.openTool} <Icon name="arrow" size={14} />
        </Link>
      )}
    </Dialog>
  )
}

function Hooks({ hooks }: { hooks: readonly Ran[] }) {
  const w = useWords(words)
  const v = useWords(verdictWords)
  return (
    <ol className="divide-y divide-line rounded-lg border border-line text-[13px]">
      {hooks.map(({ hook, version, phase, verdict, durationUs }, at) => (
        <li key={at} className="flex items-center gap-3 px-3 py-1.5">
          <span className="min-w-0 flex-1 truncate font-medium">{hook}</span>
          <span className="text-xs text-muted">{w.version(version)}</span>
          <Badge>{phase}</Badge>
          <span>{verdictText(v, verdict)}</span>
          <Duration ms={durationUs / 1000} className="text-xs text-muted" />
        </li>
      ))}
    </ol>
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
