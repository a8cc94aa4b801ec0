import { useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { isRecord, valueOf } from '../../../shared/lib/values'
import { Button, ConfirmDialog, Dialog, JsonField, Notice, Switch } from '../../../shared/ui'
import { useDeed } from '../api'
import { OPEN, type Session } from '../types'
import { words } from '../words'
import { expectedStep, offering } from './steps'

/** Continue, pause and cancel, as far as the session can. */
export function Actions({ session }: { session: Session }) {
  const w = useWords(words)
  const [asking, setAsking] = useState<'continue' | 'cancel' | null>(null)
  const deed = useDeed(session.sessionId)
  if (!OPEN.includes(session.status)) return null
  const close = () => setAsking(null)
  // A session that asks something goes on by the answer.
  if (asking === 'continue' && session.waiting) close()
  return (
    <>
      {session.status !== 'paused' && <Button needs="operator" icon="pause" busy={deed.isPending} onClick={() => deed.mutate({ do: 'pause' })}>{w.pause}</Button>}
      <Button needs="operator" look="danger" icon="stop" onClick={() => setAsking('cancel')}>{w.cancel}</Button>
      {!session.waiting && !session.running && <Button needs="operator" look="primary" icon="play" onClick={() => setAsking('continue')}>{w.continue}</Button>}
      {asking === 'continue' && <ContinueDialog session={session} onClose={close} />}
      {asking === 'cancel' && <CancelDialog session={session} onClose={close} />}
    </>
  )
}

function ContinueDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const w = useWords(words)
  const [given, setGiven] = useState('')
  const [result, setResult] = useState('')
  const [toEnd, setToEnd] = useState(false)
  const deed = useDeed(session.sessionId, onClose)
  const others = (offering(session)?.branchOptions ?? []).map(({ toolName }) => toolName).filter((name) => name !== `${session.workflowName}_continue`)
  const [more, output] = [valueOf(given), valueOf(result)]
  const isReady = !more.bad && !output.bad && (more.value === undefined || isRecord(more.value))
  const send = () => {
    const expected = expectedStep(session)
    const body = {
      ...(isRecord(more.value) && more.value),
      ...(output.value !== undefined && { result: output.value }),
      ...(toEnd ? { maxSteps: 'all' } : expected !== undefined && { expectedStep: expected }),
    }
    deed.mutate({ do: 'continue', body })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={w.continue}
      description={w.continueAbout}
      footer={<Button look="primary" icon="play" busy={deed.isPending} disabled={!isReady} onClick={send}>{w.continue}</Button>}
    >
      <div className="flex flex-col gap-4">
        {others.length > 0 && <Notice tone="info">{w.otherWays(others.join(', '))}</Notice>}
        <JsonField object label={w.arguments} hint={w.argumentsHint} text={given} onChange={setGiven} className="h-24" />
        <JsonField label={w.result} hint={w.resultHint} text={result} onChange={setResult} className="h-24" />
        <Switch checked={toEnd} onCheckedChange={setToEnd} label={w.toEnd} showLabel />
      </div>
    </Dialog>
  )
}

function CancelDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const w = useWords(words)
  const [compensate, setCompensate] = useState(false)
  const deed = useDeed(session.sessionId, onClose)
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => !open && onClose()}
      title={w.cancelTitle}
      description={w.cancelText}
      confirm={w.cancel}
      dismiss={w.keepSession}
      busy={deed.isPending}
      onConfirm={() => deed.mutate({ do: 'cancel', compensate })}
    >
      <Switch checked={compensate} onCheckedChange={setCompensate} label={w.undo} showLabel />
      <p className="mt-1 text-xs text-faint">{w.undoHint}</p>
    </ConfirmDialog>
  )
}
