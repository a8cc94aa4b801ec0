import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { classes } from '../../../../shared/lib/classes'
import { useWords } from '../../../../shared/lib/i18n'
import { type Run, runTones } from '../../../../shared/lib/run'
import { Button, StatusDot, Switch, Time } from '../../../../shared/ui'
import { RunTime } from '../../../../shared/ui/graph/run-time'
import { shownRun, useRun } from '../run-store'
import { editor } from '../store'
import { words } from '../words'

/** Which run the canvas shows: the one that was chosen, or always the newest. */
export function useShownRun(runs: readonly Run[] | undefined) {
  const shown = useRun((state) => state.run)
  const show = useRun((state) => state.show)
  const [follow, setFollow] = useState(true)
  const newest = runs?.[0]
  useEffect(() => {
    if (!follow || !newest || !runs) return
    const fresh = Date.now() - newest.executedAt < 60_000
    if (shownRun.getState().run || fresh) show(newest, editor.getState().doc.graph, runs)
  }, [follow, newest, runs, show])
  const choose = (run: Run | null) => {
    if (run === null || run.id !== newest?.id) setFollow(false)
    show(run, editor.getState().doc.graph, runs ?? [])
  }
  return { follow, setFollow, choose, shown }
}

interface LatestRunsProps {
  title: string
  runs: readonly Run[] | undefined
  /** What is said while there are none. */
  none: string
  /** What a run was about. */
  about: (run: Run) => string
  /** What can be done with the one that is shown. */
  actions: ReactNode
  showing: ReturnType<typeof useShownRun>
}

/** The latest runs; a press shows on the canvas what one did. */
export function LatestRuns({ title, runs, none, about, actions, showing: { follow, setFollow, choose, shown } }: LatestRunsProps) {
  const w = useWords(words)
  return (
    <section aria-label={title} className="flex flex-col gap-2 border-t border-line pt-4">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-[13px] font-semibold">{title}</h3>
        <Switch checked={follow} onCheckedChange={setFollow} label={w.runFollow} showLabel />
      </div>
      {runs?.length === 0 && <p className="text-[13px] text-muted">{none}</p>}
      {shown && (
        <div className="flex gap-2">
          <Button size="small" icon="cross" onClick={() => choose(null)}>{w.runClear}</Button>
          {actions}
        </div>
      )}
      <ul className="flex max-h-80 flex-col overflow-auto">
        {runs?.map((run) => (
          <li key={run.id}>
            <RunRow run={run} about={about(run)} active={run.id === shown?.id} onChoose={() => choose(run)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function RunRow({ run, about, active, onChoose }: { run: Run; about: string; active: boolean; onChoose: () => void }) {
  const w = useWords(words)
  const state = { completed: w.stateCompleted, error: w.stateError, running: w.stateRunning, cancelled: w.stateCancelled }[run.status]
  return (
    <button
      type="button"
      aria-pressed={active}
      onClick={onChoose}
      className={classes('flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-[13px] hover:bg-hover', active && 'bg-accent-soft')}
    >
      <StatusDot tone={runTones[run.status]} pulse={run.status === 'running'} />
      <span className="sr-only">{state}</span>
      <Time at={run.executedAt} className="text-muted" />
      <span className="min-w-0 flex-1 truncate font-mono text-xs">{about}</span>
      <RunTime run={run} className="text-faint" />
    </button>
  )
}
