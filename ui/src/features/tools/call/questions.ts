import { emptyObject, isObject, type Json, type JsonObject } from '../../../shared/lib/json'
import type { Reply } from './client'

/** Something that a server wants to know from the person before it goes on (`elicitation/create`). */
export interface Question {
  key: string
  message: string
  /** What the answer must look like. */
  schema: Json
  /** A page that the person shall visit instead of filling in a form. */
  url?: string
}

/** Questions in place of a result, and what must be sent back with the answers. */
export interface Asking {
  questions: Question[]
  state?: Json
}

export type Action = 'accept' | 'decline' | 'cancel'

/** The questions in a reply, when it has no result yet. */
export function askingOf(reply: Reply): Asking | undefined {
  if (reply.kind !== 'result' || !isObject(reply.result) || reply.result['resultType'] !== 'input_required') return undefined
  const requests = reply.result['inputRequests']
  const entries = isObject(requests) ? Object.entries(requests) : []
  const questions = entries.flatMap(([key, request]) => (isObject(request) && isObject(request['params']) ? [questionOf(key, request['params'])] : []))
  const state = reply.result['requestState']
  return { questions, ...(state === undefined ? {} : { state }) }
}

function questionOf(key: string, params: JsonObject): Question {
  const url = params['url']
  return {
    key,
    message: typeof params['message'] === 'string' ? params['message'] : '',
    schema: params['requestedSchema'] ?? true,
    ...(typeof url === 'string' ? { url } : {}),
  }
}

/** What a retry carries: an answer to each question, and the state of the call. */
export function answersTo({ questions, state }: Asking, action: Action, contents: Readonly<Record<string, Json>>): JsonObject {
  const responses = emptyObject()
  for (const { key } of questions) {
    const content = contents[key]
    responses[key] = { action, ...(action === 'accept' && content !== undefined ? { content } : {}) }
  }
  const out = emptyObject()
  out['inputResponses'] = responses
  if (state !== undefined) out['requestState'] = state
  return out
}
