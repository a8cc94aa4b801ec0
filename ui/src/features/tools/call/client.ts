/**
 * A small MCP client for the gateway's own endpoint. It speaks the revision without sessions, so a call is
 * one request: what the server says meanwhile comes as a stream, and hanging up cancels it.
 */
import { send } from '../../../shared/api/client'
import { wordsNow } from '../../../shared/lib/i18n'
import { emptyObject, format, isObject, parse, type Json, type JsonObject } from '../../../shared/lib/json'
import { words } from '../words'
import { headersOf, messageOf, metaOf, type Headers } from './message'
import { traceparent } from './split'
import { EventReader } from './sse'

/** How the page names itself to the gateway, in logs and to hooks. */
export const CLIENT = 'lockgate-ui'

/** What a server tells while it works. */
export interface Progress {
  progress: number
  total?: number
  message?: string
}

export interface LogLine {
  level: string
  text: string
}

/** The end of a request: a result, or an error of the gateway or the server. */
export type Reply = { kind: 'result'; result: Json; text: string } | { kind: 'error'; error: RpcError; text: string }

export interface RpcError {
  code: number
  message: string
  data?: Json
}

interface Request {
  method: string
  params: JsonObject
  headers?: Headers
  /** The trace that it belongs to. */
  trace?: string
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  onLog?: (line: LogLine) => void
}

/** Lists all tools, with everything that their servers say of them. */
export async function listTools(signal?: AbortSignal): Promise<Json[]> {
  const tools: Json[] = []
  let cursor: Json | undefined
  do {
    const params = emptyObject()
    if (cursor !== undefined) params['cursor'] = cursor
    const reply = await request({ method: 'tools/list', params, ...(signal ? { signal } : {}) })
    if (reply.kind === 'error') throw new Error(reply.error.message)
    const page = isObject(reply.result) ? reply.result : {}
    if (Array.isArray(page['tools'])) tools.push(...page['tools'])
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
  } while (cursor !== undefined)
  return tools
}

/** Calls a tool by the name that it has on the MCP endpoint; `more` are the answers to what it asked before. */
export function callTool(
  tool: { name: string; schema: Json },
  args: Json,
  heard: Pick<Request, 'trace' | 'signal' | 'onProgress' | 'onLog'>,
  more: JsonObject = emptyObject(),
): Promise<Reply> {
  const params = Object.assign(emptyObject(), { name: tool.name, arguments: args }, more) as JsonObject
  return request({ method: 'tools/call', params, headers: headersOf(tool, args), ...heard })
}

function meta(told: boolean): JsonObject {
  const out = metaOf(CLIENT, { elicitation: { form: {}, url: {} } })
  if (told) {
    out['progressToken'] = 1
    out['io.modelcontextprotocol/logLevel'] = 'info'
  }
  return out
}

async function request(asked: Request): Promise<Reply> {
  const { body, headers } = messageOf(asked.method, asked.params, meta(asked.onProgress !== undefined))
  const response = await send('mcp', {
    method: 'POST',
    body,
    headers: {
      ...headers,
      'X-Client-Id': CLIENT,
      ...(asked.trace === undefined ? {} : { traceparent: traceparent(asked.trace) }),
      ...asked.headers,
    },
    ...(asked.signal ? { signal: asked.signal } : {}),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) return stream(response, asked)
  const text = await response.text().catch(cutOff)
  if (text === undefined) return broken(wordsNow(words).cutOff, '')
  return answer(text) ?? broken(`HTTP ${String(response.status)}`, text)
}

async function stream(response: Response, asked: Request): Promise<Reply> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const events = new EventReader()
  for (;;) {
    const piece = await reader?.read().catch(cutOff)
    if (piece === undefined || piece.done) return broken(wordsNow(words).cutOff, '')
    for (const data of events.push(piece.value)) {
      const reply = answer(data)
      if (reply !== undefined) return reply
      tell(data, asked)
    }
  }
}

/** Takes what the browser says of a connection that broke off for nothing read; what was given up on purpose stays. */
function cutOff(cause: unknown): undefined {
  if (!(cause instanceof TypeError)) throw cause
}

/** The reply in a message, when it is one. */
export function answer(text: string): Reply | undefined {
  let message: Json
  try {
    message = parse(text)
  } catch {
    return undefined
  }
  if (!isObject(message)) return undefined
  if (message['result'] !== undefined) return { kind: 'result', result: message['result'], text }
  const error = message['error']
  if (!isObject(error)) return undefined
  const told: RpcError = { code: Number(error['code']), message: String(error['message'] ?? '') }
  if (error['data'] !== undefined) told.data = error['data']
  return { kind: 'error', error: told, text }
}

function broken(message: string, text: string): Reply {
  return { kind: 'error', error: { code: 0, message }, text }
}

function tell(text: string, asked: Request): void {
  const note = notification(text)
  if (note?.kind === 'progress') asked.onProgress?.(note.progress)
  if (note?.kind === 'log') asked.onLog?.(note.line)
}

type Note = { kind: 'progress'; progress: Progress } | { kind: 'log'; line: LogLine }

/** What a notification says, of those that are shown. */
export function notification(text: string): Note | undefined {
  const message = parse(text)
  const params = isObject(message) ? message['params'] : undefined
  if (!isObject(message) || !isObject(params)) return undefined
  if (message['method'] === 'notifications/progress') {
    const progress: Progress = { progress: Number(params['progress']) }
    if (typeof params['total'] === 'number') progress.total = params['total']
    if (typeof params['message'] === 'string') progress.message = params['message']
    return { kind: 'progress', progress }
  }
  if (message['method'] !== 'notifications/message') return undefined
  const data = params['data'] ?? null
  return { kind: 'log', line: { level: String(params['level']), text: typeof data === 'string' ? data : format(data) } }
}
