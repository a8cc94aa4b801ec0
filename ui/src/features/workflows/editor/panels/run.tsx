import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useReactFlow } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { runQuery, runsQuery, useLiveRuns } from '../../../../shared/api/runs'
import { useWords } from '../../../../shared/lib/i18n'
import { type Run, troubleOf } from '../../../../shared/lib/run'
import { Icon, Notice } from '../../../../shared/ui'
import { shownRun } from '../run-store'
import { editor, isDirty, useEditor } from '../store'
import { bringInSight } from '../viewport'
import { words } from '../words'
import { LatestRuns, useShownRun } from './latest-runs'
import { RunForm } from './run-form'
import { SessionRuns } from './session-runs'

const LATEST = 50

/** Runs the workflow, and shows on the canvas what runs did. */
export function RunPanel({ enabled }: { enabled: boolean }) {
  const w = useWords(words)
  const dirty = useEditor(isDirty)
  const isSession = useEditor((state) => state.doc.workflowType === 'session')
  return (
    <div className="flex flex-col gap-4">
      {!enabled && <Notice tone="info">{w.runNeedsActive}</Notice>}
      {enabled && dirty && <Notice tone="warn">{w.runNeedsSave}</Notice>}
      {isSession ? <SessionRuns enabled={enabled} /> : <GraphRuns enabled={enabled} />}
    </div>
  )
}

function GraphRuns({ enabled }: { enabled: boolean }) {
  const w = useWords(words)
  const id = useEditor((state) => state.id)
  useLiveRuns()
  const { data: runs } = useQuery(runsQuery(id, LATEST))
  const showing = useShownRun(runs)
  const choose = useWholeRun(showing, runs)
  return (
    <>
      {enabled && <RunForm onRun={choose} />}
      <LatestRuns title={w.runLatest} runs={runs} none={w.runNone} about={toolOf} actions={showing.shown && <OpenRun id={showing.shown.id} />} showing={{ ...showing, choose }} />
    </>
  )
}

/**
 * Reads the whole of the run that is shown: the list leaves out what its nodes did to the call. Gives what chooses one,
 * and then brings the node in sight that kept it from its end.
 */
function useWholeRun({ shown, choose }: ReturnType<typeof useShownRun>, runs: readonly Run[] | undefined): (run: Run | null) => void {
  const flow = useReactFlow()
  const sought = useRef<string>(undefined)
  const id = shown && shown.status !== 'running' ? shown.id : ''
  // What was read of it while it ran is older than the list, which says that it has ended.
  const { data } = useQuery({ ...runQuery(id), enabled: id !== '', staleTime: 0 })
  const whole = data?.status === 'running' ? undefined : data
  useEffect(() => {
    const { run, show } = shownRun.getState()
    if (!whole || run === whole || run?.id !== whole.id) return
    const { graph } = editor.getState().doc
    show(whole, graph, runs ?? [])
    const trouble = sought.current === whole.id ? troubleOf(whole, graph) : undefined
    sought.current = undefined
    if (trouble !== undefined) bringInSight(flow, trouble)
  }, [whole, shown, runs, flow])
  return (run) => {
    sought.current = run?.id
    choose(run)
  }
}

function toolOf({ context }: Run): string {
  return (context as { toolName?: string }).toolName ?? ''
}

function OpenRun({ id }: { id: string }) {
  const w = useWords(words)
  return (
    <Link to="/runs/$id" params={{ id }} className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-[13px] text-accent-text hover:bg-hover">
      {w.runOpen} <Icon name="arrow" size={14} />
    </Link>
  )
}
