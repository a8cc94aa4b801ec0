import { useQuery } from '@tanstack/react-query'
import { useWords } from '../../../shared/lib/i18n'
import { Badge, ErrorState, Loading } from '../../../shared/ui'
import { stepQuery } from '../api'
import { type Execution, INPUT_KEY, type Session } from '../types'
import { words } from '../words'
import type { StepView } from './steps'
import { Value } from './value'

/** What a step was given and what it gave, each time that it ran. It is read when the step is looked at. */
export function Executions({ session, view: { index, step } }: { session: Session; view: StepView }) {
  const w = useWords(words)
  const { data, error, refetch } = useQuery(stepQuery(session.sessionId, index))
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <Loading />
  // The first step is given what the session began with, unless it says otherwise; the record does not repeat it.
  const given = index === 0 && step?.input === undefined ? session.memory[INPUT_KEY] : undefined
  // What undid it is on the timeline.
  const runs = data.executions.filter(({ compensation }) => !compensation)
  return (
    <>
      {data.allowedBy && <p className="text-[13px] text-muted">{w.allowedBy(data.allowedBy)}</p>}
      {runs.map((one, at) => <One key={at} execution={one} given={given} named={runs.length > 1} />)}
    </>
  )
}

function One({ execution, given, named }: { execution: Execution; given: unknown; named: boolean }) {
  const w = useWords(words)
  const { activityName, attempts, output, memory, completedAt } = execution
  const input = execution.input ?? given
  const name = activityName ?? ''
  const title = (word: string) => (named && name !== '' ? `${word}: ${name}` : word)
  return (
    <>
      {attempts > 1 && <span><Badge tone="warn">{title(w.attempts(attempts))}</Badge></span>}
      {input === undefined ? <p className="text-xs text-faint">{w.noInput}</p> : <Value title={title(w.input)} value={input} />}
      {output !== undefined && <Value title={title(w.output)} value={output} />}
      {output === undefined && completedAt !== undefined && !execution.error && <p className="text-[13px] text-muted">{w.noOutput}</p>}
      {memory && Object.keys(memory).length > 0 && <Value title={title(w.wrote)} value={memory} />}
    </>
  )
}
