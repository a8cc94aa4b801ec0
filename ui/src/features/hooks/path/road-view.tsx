import type { ReactNode } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, Duration, Icon, Notice, ScriptFailure, type IconName } from '../../../shared/ui'
import { Changes } from '../trial/changes'
import { diff } from '../trial/diff'
import { OutcomeBadge } from '../trial/trial-view'
import { words } from '../words'
import type { Road, Step } from './simulate'

/** The road of a call from the request to the reply, station by station. */
export function RoadView({ road, server, graph }: { road: Road; server: string; graph: ReactNode }) {
  const w = useWords(words)
  const stopped = road.ended !== undefined
  const before = road.ended?.phase === 'pre'
  return (
    <ol aria-label={w.follow} className="flex animate-fade flex-col">
      <Station icon="arrow" title={w.request} />
      {road.pre.length === 0 && <Station icon="hook" faint title={`${w.pre}: ${w.noHooksPhase}`} />}
      {road.pre.map((step) => <HookStation key={`pre ${step.hook.id}`} step={step} />)}
      {!before && graph && road.reached && <Station icon="workflow" title={<>{w.workflow}: {graph}</>}><p className="text-xs text-faint">{w.workflowText}</p></Station>}
      {!before && <Station icon="server" faint={!road.reached} title={`${w.server}: ${server}`} beside={!road.reached && <Badge>{w.notReached}</Badge>} />}
      {!before && road.post.length === 0 && <Station icon="hook" faint title={`${w.post}: ${w.noHooksPhase}`} />}
      {road.post.map((step) => <HookStation key={`post ${step.hook.id}`} step={step} />)}
      <Station icon={stopped ? 'stop' : 'check'} title={stopped ? w.endedBy(road.ended?.by ?? '') : w.client} last>
        {road.ended?.message && <Notice tone="warn">{road.ended.message}</Notice>}
      </Station>
    </ol>
  )
}

interface StationProps {
  icon: IconName
  title: ReactNode
  beside?: ReactNode
  faint?: boolean
  last?: boolean
  children?: ReactNode
}

function Station({ icon, title, beside, faint, last, children }: StationProps) {
  return (
    <li className="relative flex gap-3 pb-4">
      {!last && <span aria-hidden className="absolute top-7 bottom-0 left-3.5 w-px bg-line-strong" />}
      <span className={classes('z-1 grid size-7 shrink-0 place-items-center rounded-full border bg-surface', faint ? 'border-line text-faint' : 'border-line-strong text-accent-text')}>
        <Icon name={icon} size={14} />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1.5 pt-0.5">
        <p className={classes('flex flex-wrap items-center gap-2 text-[13px]', faint ? 'text-faint' : 'font-medium')}>{title} {beside}</p>
        {children}
      </div>
    </li>
  )
}

function HookStation({ step }: { step: Step }) {
  const w = useWords(words)
  const { hook, phase, trial, outcome, skipped } = step
  if (!trial || !outcome) {
    const why = skipped === 'disabled' ? w.skippedDisabled : w.skippedPassed
    return <Station icon="hook" faint title={hook.name} beside={<span className="text-xs">{w[phase]} · {why}</span>} />
  }
  const changes = diff(trial.before, trial.after)
  return (
    <Station
      icon="hook"
      title={hook.name}
      beside={<><OutcomeBadge outcome={outcome} /><span className="text-xs font-normal text-faint">{w[phase]} · <Duration ms={trial.duration} /></span></>}
    >
      {trial.error && <p className="text-xs text-bad-text [overflow-wrap:anywhere]"><ScriptFailure error={trial.error} /></p>}
      {changes.length > 0 && <Changes changes={changes} />}
    </Station>
  )
}
