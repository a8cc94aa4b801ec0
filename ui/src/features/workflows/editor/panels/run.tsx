import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { runsQuery, useLiveRuns } from '../../../../shared/api/runs'
import { useWords } from '../../../../shared/lib/i18n'
import type { Run } from '../../../../shared/lib/run'
import { Icon, Notice } from '../../../../shared/ui'
import { isDirty, useEditor } from '../store'
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
  return (
    <>
      {enabled && <RunForm onRun={showing.choose} />}
      <LatestRuns title={w.runLatest} runs={runs} none={w.runNone} about={toolOf} actions={showing.shown && <OpenRun id={showing.shown.id} />} showing={showing} />
    </>
  )
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
