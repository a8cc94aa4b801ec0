import { useWords } from '../../../shared/lib/i18n'
import { useNow } from '../../../shared/lib/now'
import { Duration, Spinner } from '../../../shared/ui'
import type { Call } from '../call/calls'
import { words } from '../words'

/** A call under way: how long, how far, and what the server says meanwhile. */
export function Progressing({ call }: { call: Call }) {
  const w = useWords(words)
  const { progress } = call
  return (
    <div role="status" className="flex flex-col gap-3 rounded-xl border border-line bg-surface p-5">
      <p className="flex items-center gap-2.5 text-[13px]"><Spinner size={16} /> {w.running} <Elapsed since={call.startedAt} /></p>
      {progress && (
        <>
          <progress aria-label={w.progress} className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent" {...(progress.total !== undefined && { max: progress.total, value: progress.progress })} />
          <p className="flex gap-2 text-xs text-muted">
            <span className="tabular-nums">{progress.progress}{progress.total !== undefined && ` / ${progress.total}`}</span>
            {progress.message && <span className="min-w-0 [overflow-wrap:anywhere]">{progress.message}</span>}
          </p>
        </>
      )}
      {call.logs.length > 0 && (
        <ul aria-label={w.logs} className="max-h-40 overflow-auto border-t border-line pt-2 font-mono text-xs">
          {call.logs.map((line, index) => <li key={index}><span className="text-faint">{line.level}</span> {line.text}</li>)}
        </ul>
      )}
    </div>
  )
}

function Elapsed({ since }: { since: number }) {
  return <Duration ms={Math.max(0, useNow(true, 100) - since)} className="text-muted" />
}
