import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { runsQuery, useLiveRuns } from '../../../../shared/api/runs'
import { type Run, runTones } from '../../../../shared/lib/run'
import { classes } from '../../../../shared/lib/classes'
import { useWords } from '../../../../shared/lib/i18n'
import { Button, Icon, Notice, StatusDot, Switch, Time } from '../../../../shared/ui'
import { RunTime } from '../../../../shared/ui/graph/run-time'
import { shownRun, useRun } from '../run-store'
import { editor, isDirty, useEditor } from '../store'
import { words } from '../words'
import { RunForm } from './run-form'

const LATEST = 50

/** Runs the workflow, and shows on the canvas what runs did. Sessions have a page of their own. */
export function RunPanel({ enabled }: { enabled: boolean }) {
  const isSession = useEditor((state) => state.doc.workflowType === 'session')
  return isSession ? <SessionNote /> : <GraphRuns enabled={enabled} />
}

function SessionNote() {
  const w = useWords(words)
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="info">{w.runSession}</Notice>
      <Link to="/sessions" className="inline-flex items-center gap-1.5 self-start rounded-md px-2 py-1 text-[13px] text-accent-text hover:bg-hover">
        {w.runSessions} <Icon name="arrow" size={14} />
      </Link>
    </div>
  )
}

function GraphRuns({ enabled }: { enabled: boolean }) {
  const w = useWords(words)
  const dirty = useEditor(isDirty)
  const id = useEditor((state) => state.id)
  useLiveRuns()
  const { data: runs } = useQuery(runsQuery(id, LATEST))
  const { follow, setFollow, choose, shown } = useShownRun(runs)
  return (
    <div className="flex flex-col gap-4">
      {!enabled && <Notice tone="info">{w.runNeedsActive}</Notice>}
      {enabled && dirty && <Notice tone="warn">{w.runNeedsSave}</Notice>}
      {enabled && <RunForm onRun={choose} />}
      <section aria-label={w.runLatest} className="flex flex-col gap-2 border-t border-line pt-4">
        <div className="flex items-center justify-between gap-2">
          <h3 className="text-[13px] font-semibold">{w.runLatest}</h3>
          <Switch checked={follow} onCheckedChange={setFollow} label={w.runFollow} showLabel />
        </div>
        {runs?.length === 0 && <p className="text-[13px] text-muted">{w.runNone}</p>}
        {shown && (
          <div className="flex gap-2">
            <Button size="small" icon="cross" onClick={() => choose(null)}>{w.runClear}</Button>
            <Link to="/runs/$id" params={{ id: shown.id }} className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-[13px] text-accent-text hover:bg-hover">
              {w.runOpen} <Icon name="arrow" size={14} />
            </Link>
          </div>
        )}
        <ul className="flex max-h-80 flex-col overflow-auto">
          {runs?.map((run) => (
            <li key={run.id}>
              <RunRow run={run} active={run.id === shown?.id} onChoose={() => choose(run)} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

/** Which run the canvas shows: the one that was chosen, or always the newest. */
function useShownRun(runs: readonly Run[] | undefined) {
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

function RunRow({ run, active, onChoose }: { run: Run; active: boolean; onChoose: () => void }) {
  const w = useWords(words)
  const tool = (run.context as { toolName?: string }).toolName
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
      <span className="min-w-0 flex-1 truncate font-mono text-xs">{tool ?? ''}</span>
      <RunTime run={run} className="text-faint" />
    </button>
  )
}
