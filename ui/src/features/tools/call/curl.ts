import { emptyObject, format, isObject, type Json } from '../../../shared/lib/json'
import type { Tool } from '../tools'
import { headersOf, messageOf, metaOf, type Headers } from './message'

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

type Called = Pick<Tool, 'server' | 'name' | 'mcpName' | 'schema'>

/**
 * The same call from a terminal: over REST where that takes the tool's name and the arguments, else over MCP, which takes
 * all. A key that is needed comes from the variable LOCKGATE_KEY.
 */
export function curl(base: string, tool: Called, args: Json, needsKey = false): string {
  const { path, headers, body } = fitsRest(tool.name, args) ? overRest(tool, args) : overMcp(tool, args)
  const lines = [
    `curl -s ${quote(new URL(path, base).href)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(needsKey ? ['-H "Authorization: Bearer $LOCKGATE_KEY"'] : []),
    data(body),
  ]
  return lines.join(' \\\n  ')
}

/** More than this is given on standard input: systems bound what one argument of a command may hold, some at 128 KiB. */
const ARGUMENT_MAX = 100_000

function data(body: string): string {
  return bytesOf(body) > ARGUMENT_MAX ? `-d @- <<'LOCKGATE'\n${body}\nLOCKGATE` : `-d ${quote(body)}`
}

interface Request {
  path: string
  headers: Headers
  body: string
}

function overRest({ server, name }: Called, args: Json): Request {
  const body = Object.assign(emptyObject(), { server, toolName: name, input: args })
  return { path: 'mcp/call', headers: { 'Content-Type': 'application/json' }, body: format(body) }
}

function overMcp({ mcpName: name, schema }: Called, args: Json): Request {
  const { body, headers } = messageOf('tools/call', { name, arguments: args }, metaOf('curl', {}))
  return { path: 'mcp', headers: { ...headers, ...headersOf({ name, schema }, args) }, body }
}

/** What `input` may be over REST, unless `limits.input` and `limits.depth` say otherwise. */
const [INPUT_MAX, DEPTH_MAX] = [102_400, 10]

/** Whether the gateway takes such a call over REST. */
function fitsRest(name: string, args: Json): boolean {
  return /^[a-zA-Z0-9_-]{1,100}$/.test(name) && !hasForbidden(args) && depthOf(args) <= DEPTH_MAX && bytesOf(format(args)) <= INPUT_MAX
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Levels of lists and objects; the outermost is the first. */
function depthOf(value: Json): number {
  if (!Array.isArray(value) && !isObject(value)) return 0
  return 1 + Object.values(value).reduce<number>((most, one) => Math.max(most, depthOf(one)), 0)
}

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

function hasForbidden(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasForbidden)
  return isObject(value) && Object.entries(value).some(([key, one]) => FORBIDDEN.has(key) || hasForbidden(one))
}
