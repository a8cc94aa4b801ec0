import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { valueOf } from '../../../shared/lib/values'
import { Button, Field, Icon, type IconName, JsonField, JsonView, TextField, Time } from '../../../shared/ui'
import { useDeed } from '../api'
import type { Question, Session } from '../types'
import { words } from '../words'

/** What the session waits for, and what can be done about it. */
export function Standing({ session }: { session: Session }) {
  const w = useWords(words)
  const { waiting } = session
  switch (waiting?.for) {
    case 'approval':
      return <Box tone="warn" icon="user" title={w.approvalTitle(waiting.activityName)}><Approval key={waiting.digest} session={session} question={waiting} /></Box>
    case 'uncertain':
      return <Box tone="warn" icon="warning" title={w.doubtTitle(waiting.activityName)}><Doubt session={session} /></Box>
    case 'event':
      return <Box tone="info" icon="clock" title={w.eventTitle(waiting.event)}><EventForm session={session} event={waiting.event} until={waiting.until} /></Box>
    case 'session':
      return (
        <Box tone="info" icon="session" title={w.childTitle(waiting.activityName)}>
          <p className="text-[13px]">{w.childText}</p>
          {(waiting.sessionIds ?? [waiting.sessionId]).map((id) => (
            <Link key={id} to="/sessions/$id" params={{ id }} className="inline-flex h-8 items-center gap-2 self-start rounded-md border border-line-strong px-3 hover:bg-hover">
              {w.openChild} {waiting.sessionIds && <span className="font-mono text-xs">{id.slice(0, 8)}</span>} <Icon name="arrow" size={14} />
            </Link>
          ))}
        </Box>
      )
    default:
      return null
  }
}

const heads = { warn: 'bg-warn-soft text-warn-text', info: 'bg-info-soft text-info-text' }

function Box({ tone, icon, title, children }: { tone: keyof typeof heads; icon: IconName; title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="shrink-0 p-4 pb-0">
      <div className="overflow-hidden rounded-xl border border-line bg-surface shadow-card">
        <h2 className={`flex items-center gap-2 px-4 py-2 text-[13px] font-semibold ${heads[tone]}`}><Icon name={icon} size={15} /> {title}</h2>
        <div className="flex flex-col gap-3 p-4">{children}</div>
      </div>
    </section>
  )
}

function ExactInput({ value }: { value: unknown }) {
  const w = useWords(words)
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-[13px] font-medium">{w.exactInput}</h3>
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div tabIndex={0} role="region" aria-label={w.exactInput} className="max-h-60 overflow-auto rounded-lg border border-line bg-sunken p-2">
        <JsonView value={value} depth={4} />
      </div>
    </div>
  )
}

/** The question whether a step may run, with exactly what it would run with. */
export function Approval({ session, question, onDone }: { session: Session; question: Question; onDone?: () => void }) {
  const w = useWords(words)
  const [reason, setReason] = useState('')
  const deed = useDeed(session.sessionId, onDone)
  const answer = (allow: boolean) => deed.mutate({ do: 'approve', digest: question.digest, allow, ...(allow ? {} : { reason: reason.trim() }) })
  const chosen = deed.isPending && deed.variables.do === 'approve' ? deed.variables.allow : undefined
  return (
    <div className="flex flex-col gap-3">
      {question.message && <p className="text-[15px]">{question.message}</p>}
      <p className="text-[13px] text-muted">{w.approvalText}</p>
      <ExactInput value={question.input} />
      <p className="flex flex-wrap gap-x-4 text-xs text-muted">
        <span>{w.since} <Time at={question.since} /></span>
        {question.expiresAt !== undefined && <span>{w.expires} <Time at={question.expiresAt} /></span>}
      </p>
      <Field label={w.reason} hint={w.reasonHint}>
        {(ids) => <TextField {...ids} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        <Button needs="operator" look="danger" icon="cross" busy={chosen === false} disabled={deed.isPending} onClick={() => answer(false)}>{w.refuse}</Button>
        <Button needs="operator" look="primary" icon="check" busy={chosen === true} disabled={deed.isPending} onClick={() => answer(true)}>{w.allow}</Button>
      </div>
    </div>
  )
}

/** The question what became of a step that was under way when the process died. */
export function Doubt({ session, onDone }: { session: Session; onDone?: () => void }) {
  const w = useWords(words)
  const [result, setResult] = useState('')
  const deed = useDeed(session.sessionId, onDone)
  const { waiting } = session
  if (waiting?.for !== 'uncertain') return null
  const { value, bad } = valueOf(result)
  const decide = (resolve: string) =>
    deed.mutate({ do: 'continue', body: { resolve, doubt: waiting.since, ...(resolve === 'done' && value !== undefined && { result: value }) } })
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[13px] text-muted">{w.doubtText}</p>
      <ExactInput value={waiting.members ? Object.fromEntries(waiting.members.map((one) => [one.activityName, one.input])) : waiting.input} />
      {waiting.choices.includes('done') && <JsonField label={w.result} hint={w.doubtResult} text={result} onChange={setResult} className="h-20" />}
      <div className="flex flex-wrap gap-2">
        {waiting.choices.map((choice) => (
          <Button key={choice} needs="operator" look={choice === 'compensate' ? 'danger' : 'secondary'} disabled={deed.isPending || (choice === 'done' && bad)} onClick={() => decide(choice)}>
            {w.choices(choice)}
          </Button>
        ))}
      </div>
    </div>
  )
}

function EventForm({ session, event, until }: { session: Session; event: string; until: number | undefined }) {
  const w = useWords(words)
  const [data, setData] = useState('{}')
  const deed = useDeed(session.sessionId)
  const { value, bad } = valueOf(data)
  return (
    <>
      <p className="text-[13px] text-muted">
        {w.eventText} {until !== undefined && <span>{w.expires} <Time at={until} /></span>}
      </p>
      <JsonField label={w.eventData} text={data} onChange={setData} className="h-20" />
      <Button needs="operator" icon="arrow" className="self-start" busy={deed.isPending} disabled={bad} onClick={() => deed.mutate({ do: 'event', event, data: value ?? {} })}>{w.sendEvent}</Button>
    </>
  )
}
