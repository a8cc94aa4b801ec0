import { emptyObject, format, type Json } from '../../../shared/lib/json'

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The same call from a terminal, over REST. */
export function curl(base: string, server: string, tool: string, args: Json): string {
  const body = emptyObject()
  body['server'] = server
  body['toolName'] = tool
  body['input'] = args
  return `curl -s ${quote(new URL('mcp/call', base).href)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quote(format(body))}`
}
