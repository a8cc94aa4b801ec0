import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { Button, Dialog, Icon, Since } from '../../../shared/ui'
import { inboxQuery } from '../api'
import { Doubt, Approval } from '../detail/questions'
import type { Session } from '../types'
import { words } from '../words'

/** The sessions in which somebody is asked something. It stands out, and is not there when nobody is asked. */
export function Inbox() {
  const w = useWords(words)
  const { data } = useQuery(inboxQuery)
  const [reviewed, setReviewed] = useState<string | null>(null)
  const sessions = data ?? []
  const chosen = sessions.find(({ sessionId }) => sessionId === reviewed)
  if (sessions.length === 0) return null
  return (
    <section aria-label={w.inbox(sessions.length)} className="max-h-52 shrink-0 overflow-y-auto border-b border-line bg-warn-soft px-4 py-3 md:px-6">
      <h2 className="flex items-center gap-2 text-[13px] font-semibold text-warn-text">
        <Icon name="user" size={15} /> {w.inbox(sessions.length)}
      </h2>
      <ul className="mt-2 flex flex-col gap-1.5">
        {sessions.map((session) => (
          <li key={session.sessionId}>
            <Asked session={session} onReview={() => setReviewed(session.sessionId)} />
          </li>
        ))}
      </ul>
      {chosen && <Review session={chosen} onClose={() => setReviewed(null)} />}
    </section>
  )
}

function Asked({ session, onReview }: { session: Session; onReview: () => void }) {
  const w = useWords(words)
  const { waiting, workflowName, sessionId, clientId } = session
  if (waiting?.for !== 'approval' && waiting?.for !== 'uncertain') return null
  const says = waiting.for === 'approval' ? w.askApproval(waiting.activityName) : w.askDoubt(waiting.activityName)
  return (
    <div className="flex min-w-0 items-center gap-3 rounded-lg border border-line bg-surface py-1.5 pr-2 pl-3 text-[13px]">
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere] max-md:line-clamp-3 md:truncate">
        <Link to="/sessions/$id" params={{ id: sessionId }} className="font-medium underline decoration-line-strong underline-offset-2 hover:decoration-current">{workflowName}</Link>{' '}
        {says}
        {waiting.for === 'approval' && waiting.message && <span className="text-muted"> · {waiting.message}</span>}
      </span>
      <span className="hidden truncate text-xs text-faint lg:inline">{clientId}</span>
      {waiting.for === 'approval' && <Since at={waiting.since} className="text-xs text-muted" />}
      <Button needs="operator" size="small" look="primary" aria-label={`${w.review}: ${workflowName}, ${waiting.activityName}`} onClick={onReview}>{w.review}</Button>
    </div>
  )
}

function Review({ session, onClose }: { session: Session; onClose: () => void }) {
  const w = useWords(words)
  const { waiting } = session
  if (waiting?.for !== 'approval' && waiting?.for !== 'uncertain') return null
  const title = waiting.for === 'approval' ? w.approvalTitle(waiting.activityName) : w.doubtTitle(waiting.activityName)
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={w.sessionTitle(session.workflowName)}>
      {waiting.for === 'approval' ? <Approval session={session} question={waiting} onDone={onClose} /> : <Doubt session={session} onDone={onClose} />}
    </Dialog>
  )
}
