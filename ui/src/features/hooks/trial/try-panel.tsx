import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Button, CodeEditor, Duration, Failure, Kbd, Notice, StatusDot, TextField, Time, VirtualList } from '../../../shared/ui'
import { settingsQuery } from '../api'
import { Choices } from '../../../shared/ui/choices'
import type { Capture } from '../model'
import { words } from '../words'
import { TrialView } from './trial-view'
import type { Trying } from './use-trial'

/** Tries the script on a captured call or on a context of one's own. */
export function TryPanel({ trying, onSaveCase }: { trying: Trying; onSaveCase: (name: string) => void }) {
  const w = useWords(words)
  const { phases, phase, setPhase, source, setSource, result } = trying
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (result) shown.current?.scrollIntoView({ block: 'nearest' })
  }, [result])
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-faint">{w.tryAbout}</p>
      <div className="flex flex-wrap items-center gap-2">
        <Choices label={w.source} value={trying.shownSource} onChange={setSource} options={[['captured', w.captured], ['pasted', w.pasted]]} />
        <Choices label={w.phase} value={phase} onChange={setPhase} options={phases.map((one) => [one, w[one]] as const)} />
      </div>
      {source === 'captured' ? <CaptureList trying={trying} /> : <ContextEditor trying={trying} />}
      <div className="flex items-center gap-2">
        <Button needs="editor" look="primary" icon="flask" busy={trying.running} disabled={source === 'captured' && !trying.capture} onClick={trying.run}>{w.run}</Button>
        <span className="flex items-center gap-1 text-xs text-faint"><Kbd>Ctrl</Kbd><Kbd>↵</Kbd></span>
      </div>
      {trying.error && <Notice tone="bad"><Failure error={trying.error} /></Notice>}
      {trying.result && (
        <div ref={shown} className="flex flex-col gap-3">
          {trying.stale && <Notice tone="warn">{w.stale}</Notice>}
          <TrialView trial={trying.result} />
          {!trying.stale && <SaveCase suggestion={caseName(trying)} onSave={onSaveCase} />}
        </div>
      )}
    </div>
  )
}

function caseName({ result, phase }: Trying): string {
  const tool = result?.before['toolName']
  return `${typeof tool === 'string' ? tool : (result?.before.request?.method ?? '')} ${phase}`.trim()
}

function SaveCase({ suggestion, onSave }: { suggestion: string; onSave: (name: string) => void }) {
  const w = useWords(words)
  const [name, setName] = useState<string>()
  const text = name ?? suggestion
  return (
    <form
      className="flex gap-2 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') onSave(text.trim())
      }}
    >
      <TextField aria-label={w.caseName} value={text} onChange={(event) => setName(event.target.value)} />
      <Button type="submit" icon="plus">{w.saveCase}</Button>
    </form>
  )
}

function CaptureList({ trying }: { trying: Trying }) {
  const w = useWords(words)
  const [query, setQuery] = useState('')
  const off = useQuery(settingsQuery).data?.capturesOff === true
  const found = useMemo(() => {
    const wanted = query.toLowerCase()
    return trying.captures.filter((one) => `${one.method} ${one.toolName ?? ''} ${one.serverName ?? ''} ${one.clientId}`.toLowerCase().includes(wanted))
  }, [trying.captures, query])
  if (trying.captures.length === 0 && !trying.capturesPending) {
    return (
      <div className="rounded-lg border border-dashed border-line-strong px-4 py-5 text-center text-[13px]">
        <p className="font-medium">{w.noCaptures}</p>
        <p className="mt-0.5 text-muted">{off ? w.capturesOff : w.noCapturesText}</p>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-1.5">
      <TextField type="search" aria-label={w.filterCaptures} placeholder={w.filterCaptures} value={query} onChange={(event) => setQuery(event.target.value)} />
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        {found.length === 0 && trying.captures.length > 0 ? (
          <p className="px-4 py-5 text-center text-[13px] text-muted">{w.noMatch}</p>
        ) : (
          <VirtualList
            items={found}
            rowHeight={32}
            label={w.captures}
            className="h-40"
            getKey={(one) => one.id}
            render={(one) => <CaptureRow capture={one} current={one.id === trying.capture?.id} onSelect={() => trying.setCapture(one.id)} />}
          />
        )}
      </div>
    </div>
  )
}

function CaptureRow({ capture, current, onSelect }: { capture: Capture; current: boolean; onSelect: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={current}
      onClick={onSelect}
      className={classes('flex h-8 w-full items-center gap-2 px-3 text-left text-xs focus-visible:outline-offset-[-2px]', current ? 'bg-accent-soft text-accent-text' : 'hover:bg-hover')}
    >
      <StatusDot tone={capture.error === undefined || capture.error === null ? 'good' : 'bad'} />
      <span className="min-w-0 truncate font-mono font-medium">{capture.toolName ?? capture.method}</span>
      <span className={classes('min-w-0 truncate', current ? '' : 'text-faint')}>{capture.serverName} · {capture.clientId}</span>
      <span className={classes('ml-auto shrink-0', current ? '' : 'text-faint')}><Time at={capture.at} /> · <Duration ms={capture.duration} /></span>
    </button>
  )
}

function ContextEditor({ trying }: { trying: Trying }) {
  const w = useWords(words)
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex gap-1.5">
        <Button size="small" onClick={() => trying.fill('call')}>{w.sampleCall}</Button>
        <Button size="small" onClick={() => trying.fill('list')}>{w.sampleList}</Button>
      </div>
      <CodeEditor language="json" label={w.contextLabel} value={trying.text} onChange={trying.setText} onSubmit={trying.run} className="h-52" />
    </div>
  )
}
