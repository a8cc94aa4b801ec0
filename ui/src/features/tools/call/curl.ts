import { emptyObject, format, type Json } from '../../../shared/lib/json'

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The same call from a terminal, over REST; a key that is needed comes from the variable LOCKGATE_KEY. */
export function curl(base: string, server: string, tool: string, args: Json, needsKey = false): string {
  const body = emptyObject()
  body['server'] = server
  body['toolName'] = tool
  body['input'] = args
  const key = needsKey ? ' \\\n  -H "Authorization: Bearer $LOCKGATE_KEY"' : ''
  return `curl -s ${quote(new URL('mcp/call', base).href)} \\\n  -H 'Content-Type: application/json'${key} \\\n  -d ${quote(format(body))}`
}
