import type { Reply } from './types'
import type { words } from './words'

type Words = (typeof words)['en']

// The sentences of the gateway, which counts steps from 0. The page counts from 1, as its cards do.
const SENTENCES: readonly [RegExp, (w: Words, index: number, name: string, more: string) => string][] = [
  [/^Step (\d+) \((.*)\) completed successfully$/s, (w, index, name) => w.stepDone(index, name)],
  [/^Step (\d+) \((.*)\) failed \(optional\), continuing$/s, (w, index, name) => w.stepPassed(index, name)],
  [/^Step (\d+) \((.*)\) waits for (.*)$/s, (w, index, name) => w.stepWaits(index, name)],
  [/^Step (\d+) \((.*)\) was under way when the gateway stopped; .*$/s, (w, index, name) => w.stepDoubt(index, name)],
  [/^Workflow failed at step (\d+) \((.*?)\): (.*)$/s, (w, index, name, more) => w.stepFailed(index, name, more)],
]

/** What a reply says, in the words of the page where it has some. */
export function sayingOf(reply: Reply, w: Words): string {
  const message = messageOf(reply)
  if (message === 'Workflow completed successfully') return w.allDone
  for (const [sentence, say] of SENTENCES) {
    const [found, index, name = '', more = ''] = sentence.exec(message) ?? []
    if (found !== undefined) return say(w, Number(index), name, more)
  }
  return message
}

/** What a reply says in one line: the message of its text, or the text itself. */
function messageOf(reply: Reply): string {
  const text = reply.content?.[0]?.text ?? ''
  try {
    const said = JSON.parse(text) as { message?: unknown } | null
    return typeof said?.message === 'string' ? said.message : text
  } catch {
    return text
  }
}
