import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { verdictText, verdictWords } from '../../../shared/lib/verdict'
import { Badge, Duration } from '../../../shared/ui'
import type { Split } from '../call/split'
import { words } from '../words'

/** Where the time went: server, hooks, and the rest, as a bar and in figures. */
export function Timing({ time }: { time: Split }) {
  const w = useWords(words)
  const { total, server, hooks } = time
  if (server === undefined || hooks === undefined) {
    return <p className="text-xs text-faint">{w.total} <Duration ms={total} />{time.unknown && ` · ${w.noSplit}`}</p>
  }
  const rest = Math.max(0, total - server - hooks)
  const parts = [
    { label: w.server, ms: server, look: 'bg-accent', fill: 'fill-accent' },
    { label: w.hooks, ms: hooks, look: 'bg-info', fill: 'fill-info' },
    { label: w.rest, ms: rest, look: 'bg-control', fill: 'fill-control' },
  ]
  return (
    <div aria-label={w.time} role="group" className="flex flex-col gap-2">
      <svg aria-hidden viewBox="0 0 1000 8" preserveAspectRatio="none" className="h-1.5 w-full overflow-hidden rounded-full">
        {parts.map((part, index) => {
          const before = parts.slice(0, index).reduce((sum, one) => sum + one.ms, 0)
          const scale = 1000 / (total || 1)
          return <rect key={part.label} x={before * scale} width={part.ms * scale} height="8" className={part.fill} />
        })}
      </svg>
      <dl className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {parts.map((part) => (
          <div key={part.label} className="flex items-center gap-1.5" data-time={part.label}>
            <span aria-hidden className={classes('size-2 rounded-full', part.look)} />
            <dt className="text-muted">{part.label}</dt>
            <dd><Duration ms={part.ms} /></dd>
          </div>
        ))}
        <div className="ml-auto flex gap-1.5 font-medium"><dt>{w.total}</dt><dd><Duration ms={total} /></dd></div>
      </dl>
      <HookList time={time} />
    </div>
  )
}

function HookList({ time }: { time: Split }) {
  const w = useWords(words)
  const v = useWords(verdictWords)
  if (time.ran.length === 0) return null
  return (
    <ul aria-label={w.hookTimes} className="flex flex-wrap gap-1.5 text-xs">
      {time.ran.map(({ hook, phase, verdict, ms }, index) => (
        <li key={index} className="max-w-full">
          <Badge tone={verdict === 'changed' ? 'info' : 'neutral'} className="max-w-full">
            {phase} · <bdi title={hook} className="truncate">{hook}</bdi> · {verdictText(v, verdict)} · <Duration ms={ms} />
          </Badge>
        </li>
      ))}
    </ul>
  )
}
