import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Version, versionQuery, versionsQuery } from '../../../../shared/api/versions'
import { classes } from '../../../../shared/lib/classes'
import { useWords } from '../../../../shared/lib/i18n'
import { Badge, Button, Dialog, ErrorState, Failure, Loading, Notice, Time } from '../../../../shared/ui'
import { GraphView } from '../../../../shared/ui/graph/view'
import { editor, useEditor } from '../store'
import { useView } from '../view'
import { words } from '../words'

/** The older versions of the workflow, to look at and to bring back. */
export function VersionsDialog() {
  const w = useWords(words)
  const open = useView((state) => state.versions)
  const set = useView((state) => state.set)
  return (
    <Dialog size="large" open={open} onOpenChange={(versions) => set({ versions })} title={w.versions} description={w.versionsText}>
      {open && <Versions onDone={() => set({ versions: false })} />}
    </Dialog>
  )
}

function Versions({ onDone }: { onDone: () => void }) {
  const w = useWords(words)
  const id = useEditor((state) => state.id)
  const { data: versions, error, refetch } = useQuery(versionsQuery(id))
  const [chosen, choose] = useState<number>()
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (!versions) return <Loading />
  const shown = chosen ?? versions[0]?.version
  return (
    <div className="flex h-[60vh] gap-4 max-md:flex-col max-md:gap-3">
      <ul aria-label={w.versions} className="shrink-0 overflow-y-auto pr-1 max-md:max-h-32 md:w-52">
        {versions.map((version) => (
          <li key={version.version}>
            <VersionRow version={version} active={version.version === shown} onChoose={() => choose(version.version)} />
          </li>
        ))}
      </ul>
      {shown !== undefined && <VersionPane key={shown} id={id} version={shown} onDone={onDone} />}
    </div>
  )
}

function VersionRow({ version, active, onChoose }: { version: Version; active: boolean; onChoose: () => void }) {
  const w = useWords(words)
  return (
    <button
      type="button"
      aria-pressed={active}
      onClick={onChoose}
      className={classes('flex w-full flex-col rounded-md px-2.5 py-1.5 text-left text-[13px] hover:bg-hover', active && 'bg-accent-soft')}
    >
      <span className="flex items-center gap-2 font-medium">
        {w.versionNumber(version.version)}
        {version.current && <Badge tone="good">{w.versionCurrent}</Badge>}
      </span>
      <span className="truncate text-xs text-muted">{version.name}</span>
      <Time at={version.madeAt} className="text-xs text-muted" />
    </button>
  )
}

function VersionPane({ id, version, onDone }: { id: string; version: number; onDone: () => void }) {
  const w = useWords(words)
  const { data, error } = useQuery(versionQuery(id, version))
  const fixed = useEditor((state) => state.fixed)
  if (error) return <Notice tone="bad"><Failure error={error} /></Notice>
  if (!data) return <Loading />
  const load = () => {
    editor.getState().adopt(data)
    onDone()
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-3">
      <div className="min-h-0 flex-1 overflow-hidden rounded-lg border border-line">
        <GraphView graph={data.graph} label={w.versionNumber(version)} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <p className="text-[13px] text-muted">{fixed ? w.fixed : w.versionLoadText}</p>
        <Button needs="editor" icon="history" disabled={fixed} onClick={load}>{w.versionLoad}</Button>
      </div>
    </div>
  )
}
