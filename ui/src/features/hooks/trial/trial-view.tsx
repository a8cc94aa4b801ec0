import { formatBytes } from '../../../shared/lib/format'
import { useWords } from '../../../shared/lib/i18n'
import { verdictWords } from '../../../shared/lib/verdict'
import { Badge, Duration, JsonView, Notice, ScriptFailure, Tabs, type Tab, type Tone } from '../../../shared/ui'
import { errorOf, outcomeOf, type Outcome, type Trial } from '../model'
import { words } from '../words'
import { Changes } from './changes'
import { diff } from './diff'

const tones: Record<Outcome, Tone> = { continue: 'neutral', changed: 'info', answered: 'accent', blocked: 'warn', failed: 'bad' }

/** The outcome of a script in one coloured word. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const words = useWords(verdictWords)
  return <Badge tone={tones[outcome]}>{words[outcome]}</Badge>
}

/** What a script made of a sample: decision, changes, console, time and memory. */
export function TrialView({ trial }: { trial: Trial }) {
  const w = useWords(words)
  const outcome = outcomeOf(trial)
  const changes = diff(trial.before, trial.after)
  const answer = outcome === 'answered' ? trial.verdict?.response : undefined
  const error = outcome === 'blocked' ? errorOf(trial.verdict) : undefined
  const tabs: Tab[] = [
    { value: 'changes', label: `${w.changes} (${changes.length})`, content: changes.length === 0 ? <p className="text-[13px] text-muted">{w.noChanges}</p> : <Changes changes={changes} /> },
    { value: 'before', label: w.before, content: <Tree value={trial.before} /> },
    { value: 'after', label: w.after, content: <Tree value={trial.after} /> },
    { value: 'console', label: `${w.console} (${trial.console.length})`, content: <ConsoleLines trial={trial} /> },
  ]
  return (
    <div className="flex animate-fade flex-col gap-3" data-outcome={outcome}>
      <dl className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
        <div className="flex items-center gap-1.5"><dt className="text-muted">{w.outcome}</dt><dd><OutcomeBadge outcome={outcome} /></dd></div>
        <div className="flex items-center gap-1.5"><dt className="text-muted">{w.time}</dt><dd><Duration ms={trial.duration} /></dd></div>
        <div className="flex items-center gap-1.5"><dt className="text-muted">{w.memory}</dt><dd className="tabular-nums">{formatBytes(trial.memory)}</dd></div>
      </dl>
      {trial.error && (
        <Notice tone="bad">
          <p className="font-medium"><ScriptFailure error={trial.error} /></p>
          <p className="font-mono text-xs">
            {trial.error.code}
            {trial.error.limit ? ` · ${trial.error.limit}` : ''}
            {trial.error.line ? ` · ${w.at(trial.error.line, trial.error.column)}` : ''}
          </p>
        </Notice>
      )}
      {error && (
        <Notice tone="warn">{error.message ?? ''} {error.code !== null && <code className="text-xs">{JSON.stringify(error.code)}</code>}</Notice>
      )}
      {answer !== undefined && (
        <div>
          <h4 className="mb-1 text-xs text-muted">{w.reply}</h4>
          <Tree value={answer} />
        </div>
      )}
      <Tabs label={w.detailTabs} tabs={tabs} />
    </div>
  )
}

function Tree({ value }: { value: unknown }) {
  return <div className="max-h-72 overflow-auto rounded-lg border border-line bg-surface p-2.5"><JsonView value={value} depth={4} /></div>
}

const levels: Record<string, string> = { error: 'text-bad-text', warn: 'text-warn-text', debug: 'text-faint' }

function ConsoleLines({ trial }: { trial: Trial }) {
  const w = useWords(words)
  if (trial.console.length === 0) return <p className="text-[13px] text-muted">{w.consoleEmpty}</p>
  return (
    <ul aria-label={w.console} className="max-h-72 overflow-auto rounded-lg border border-line bg-sunken p-2.5 font-mono text-xs">
      {trial.console.map((line, index) => (
        <li key={index} className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${levels[line.level] ?? ''}`}>{line.text}</li>
      ))}
    </ul>
  )
}
