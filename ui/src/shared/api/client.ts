import createClient from 'openapi-fetch'
import type { paths } from './schema'

/** Where the gateway is: beside this page, whatever sub-path it is served below. */
export const base = new URL('./', document.baseURI)

/** The one client of the admin API, typed by the OpenAPI document. */
export const api = createClient<paths>({ baseUrl: base.href.replace(/\/$/, '') })

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
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new ApiError(0, 'UNREACHABLE', cause instanceof Error ? cause.message : String(cause))
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
