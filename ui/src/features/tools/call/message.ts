/** Requests of the revision of MCP without sessions, as they are written: each names its revision and its abilities. */
import { emptyObject, format, type Json, type JsonObject } from '../../../shared/lib/json'
import { headerText, mirrored } from './headers'

const REVISION = '2026-07-28'

export type Headers = Readonly<Record<string, string>>

/** Who asks, and what it can do. */
export function metaOf(name: string, capabilities: JsonObject): JsonObject {
  const out = emptyObject()
  out['io.modelcontextprotocol/protocolVersion'] = REVISION
  out['io.modelcontextprotocol/clientInfo'] = { name, version: '1' }
  out['io.modelcontextprotocol/clientCapabilities'] = capabilities
  return out
}

/** A request with the headers that repeat what it says. */
export function messageOf(method: string, params: JsonObject, meta: JsonObject): { body: string; headers: Headers } {
  const whole = Object.assign(emptyObject(), params, { _meta: meta }) as JsonObject
  return {
    body: format({ jsonrpc: '2.0', id: 1, method, params: whole }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': method,
    },
  }
}

/** The headers that repeat which tool is called, and the arguments that it wants repeated. */
export function headersOf(tool: { name: string; schema: Json }, args: Json): Headers {
  return { 'Mcp-Name': headerText(tool.name), ...mirrored(tool.schema, args) }
}
