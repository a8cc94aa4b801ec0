import { NumberText, isObject, type Json, type JsonObject } from '../../../shared/lib/json'

/** The value of a header: as it is when it is plain ASCII, else in base64, as MCP writes it. */
export function headerText(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`
}

/** The arguments that a tool wants repeated as headers (`x-mcp-header` in its schema). */
export function mirrored(schema: Json, args: Json): Record<string, string> {
  const out: Record<string, string> = {}
  if (!isObject(schema) || !isObject(schema['properties'])) return out
  for (const [name, member] of Object.entries(schema['properties'])) {
    if (!isObject(member)) continue
    const value = isObject(args) && Object.hasOwn(args, name) ? args[name] : undefined
    Object.assign(out, ownHeader(member, value), mirrored(member, value ?? null))
  }
  return out
}

function ownHeader(member: JsonObject, value: Json | undefined): Record<string, string> {
  const name = member['x-mcp-header']
  if (typeof name !== 'string' || value === undefined || value === null) return {}
  if (value instanceof NumberText) return { [`Mcp-Param-${name}`]: headerText(value.text) }
  return typeof value === 'object' ? {} : { [`Mcp-Param-${name}`]: headerText(String(value)) }
}
