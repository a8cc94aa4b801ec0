import type { Reply } from './types'

/** What a reply says in one line: the message of its text, or the text itself. */
export function messageOf(reply: Reply): string {
  const text = reply.content?.[0]?.text ?? ''
  try {
    const said = JSON.parse(text) as { message?: unknown } | null
    return typeof said?.message === 'string' ? said.message : text
  } catch {
    return text
  }
}
