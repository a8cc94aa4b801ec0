import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useFresh } from '../../../../shared/api/fresh'
import { useWords } from '../../../../shared/lib/i18n'
import type { Run } from '../../../../shared/lib/run'
import { isRecord, valueOf } from '../../../../shared/lib/values'
import { Button, Failure, Icon, JsonField, Notice, useToast } from '../../../../shared/ui'
import { continueSession, sessionsQuery, startSession } from '../../api'
import { runOfSession } from '../session-run'
import { useEditor } from '../store'
import { words } from '../words'
import { LatestRuns, useShownRun } from './latest-runs'

/** Starts sessions of the workflow, and shows on the canvas how far they are. */
export function SessionRuns({ enabled }: { enabled: boolean }) {
  const w = useWords(words)
  useFresh(['session', 'lost'], 'session-list')
  const id = useEditor((state) => state.id)
  // Sessions keep the name that was saved.
  const name = useEditor((state) => state.saved.name)
  const graph = useEditor((state) => state.doc.graph)
  const { data: sessions } = useQuery(sessionsQuery(name))
  const runs = useMemo(() => sessions?.map((session) => runOfSession(session, graph, id)), [sessions, graph, id])
  const showing = useShownRun(runs)
  const about = (run: Run) => {
    const one = sessions?.find(({ sessionId }) => sessionId === run.id)
    return one ? w.sessionSteps(new Set(one.history.map(({ stepIndex }) => stepIndex)).size, one.totalSteps) : ''
  }
  const { shown } = showing
  const session = sessions?.find(({ sessionId }) => sessionId === shown?.id)
  const isIdle = shown?.status === 'running' && !session?.running && !session?.waiting
  return (
    <>
      {enabled && <StartForm id={id} />}
      <LatestRuns
        title={w.sessionsLatest}
        runs={runs}
        none={w.sessionsNone}
        about={about}
        actions={shown && <><Open id={shown.id} />{isIdle && <Continue id={shown.id} />}</>}
        showing={showing}
      />
    </>
  )
}

function StartForm({ id }: { id: string }) {
  const w = useWords(words)
  const client = useQueryClient()
  const [text, setText] = useState('{}')
  const { value } = valueOf(text)
  const start = useMutation({
    mutationFn: () => startSession(id, value),
    onSettled: () => client.invalidateQueries({ queryKey: ['session-list'] }),
  })
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => (event.preventDefault(), start.mutate())}>
      <JsonField object label={w.sessionInput} text={text} onChange={setText} className="h-28" />
      <Button needs="editor" type="submit" look="primary" icon="play" busy={start.isPending} disabled={!isRecord(value)}>{w.sessionStart}</Button>
      <p className="text-xs text-faint">{w.sessionSide}</p>
      {start.error && <Notice tone="bad"><Failure error={start.error} /></Notice>}
    </form>
  )
}

function Open({ id }: { id: string }) {
  const w = useWords(words)
  return (
    <Link to="/sessions/$id" params={{ id }} className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-[13px] text-accent-text hover:bg-hover">
      {w.sessionOpen} <Icon name="arrow" size={14} />
    </Link>
  )
}

/** The next step of a session that waits for nobody but its client. */
function Continue({ id }: { id: string }) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  const go = useMutation({
    mutationFn: () => continueSession(id),
    onError: (error) => toast({ tone: 'bad', error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['session-list'] }),
  })
  return <Button needs="operator" size="small" icon="play" busy={go.isPending} onClick={() => go.mutate()}>{w.sessionContinue}</Button>
}
