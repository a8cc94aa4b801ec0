import createClient, { type Middleware } from 'openapi-fetch'
import { wordsNow } from '../lib/i18n'
import { readJson, writeJson } from '../lib/values'
import { words } from '../ui/words'
import type { paths } from './schema'

/** Where the gateway is: beside this page, whatever sub-path it is served below. */
export const base = new URL('./', document.baseURI)

/** Tells the gateway that a request comes from this page: no other site can add it. */
const own = { 'X-Lockgate-UI': '1' }

/** The one client of the admin API, typed by the OpenAPI document. Numbers keep their digits on the way in and out. */
export const api = createClient<paths>({ baseUrl: base.href.replace(/\/$/, ''), headers: own, bodySerializer: (body) => writeJson(body) })

const exact: Middleware = {
  async onResponse({ response }) {
    if (!response.headers.get('content-type')?.startsWith('application/json')) return undefined
    const text = await response.text()
    const read = new Response(text, response)
    // With a length the client asks for `json()`; without one it would read the text by itself.
    read.headers.set('content-length', String(text.length))
    return Object.assign(read, { json: async () => readJson(text) })
  },
}
let refused: () => void = () => {}

/** Has somebody told whenever the gateway does not know who asks. */
export function onStranger(tell: () => void): void {
  refused = tell
}

const noticing: Middleware = {
  onResponse({ response, schemaPath }) {
    // What is asked of the session itself is read by whoever asked.
    if (response.status === 401 && schemaPath !== '/api/session') refused()
    return undefined
  },
}
api.use(exact, noticing)

/** A request that the document has no types for, such as one of MCP: the path is below the gateway. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...own, ...(init.headers as Record<string, string> | undefined) }
  const response = await fetch(new URL(path, base), { ...init, headers }).catch(unreachable)
  if (response.status === 401) refused()
  return response
}

/** What the gateway says when it refuses; `status` 0 means that it could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

/** Says that no answer came, in other words than the browser's; what was given up on purpose stays as it is. */
function unreachable(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
  throw new ApiError(0, 'UNREACHABLE', wordsNow(words).unreachable)
}

interface Reply<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Waits for an answer of `api`, gives its data, and throws an `ApiError` when it is a refusal. */
export async function unwrap<T>(reply: Promise<Reply<T>>): Promise<NonNullable<T>> {
  let answer: Reply<T>
  try {
    answer = await reply
  } catch (cause) {
    return unreachable(cause)
  }
  if (answer.response.ok) return answer.data as NonNullable<T>
  throw refusal(answer.response.status, answer.error)
}

/** Reads the error envelope `{"success":false,"error":{code,message,details}}`. */
export function refusal(status: number, body: unknown): ApiError {
  const error = (body as { error?: { code?: string; message?: string; details?: Record<string, unknown> } } | null)?.error
  if (error?.code) return new ApiError(status, error.code, error.message ?? error.code, error.details)
  return new ApiError(status, `HTTP_${status}`, `HTTP ${status}`)
}
