import { isRecord } from './values'

/** Whether a session stands still, as its reply tells, until somebody says what became of a step. */
export function isInDoubt(reply: unknown): boolean {
  const content = isRecord(reply) ? reply['structuredContent'] : undefined
  const waiting = isRecord(content) ? content['waiting'] : undefined
  return isRecord(waiting) && waiting['for'] === 'uncertain'
}
