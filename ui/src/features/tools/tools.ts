import { queryOptions } from '@tanstack/react-query'
import { refusal, send } from '../../shared/api/client'
import { CLIENT, listTools } from './call/client'
import { emptyObject, isObject, parse, type Json, type JsonObject } from '../../shared/lib/json'

/** What a server says about a tool's nature; absent where it says nothing. */
export interface Annotations {
  readOnly?: boolean
  destructive?: boolean
  idempotent?: boolean
  openWorld?: boolean
}

/** A tool of the playground. */
export interface Tool {
  /** Server and name, which together are unique. */
  key: string
  server: string
  name: string
  /** Its name on the MCP endpoint. */
  mcpName: string
  title?: string
  description: string
  schema: Json
  output?: Json
  annotations: Annotations
}

/** Joins the two lists: REST tells the server of each tool, MCP everything that the server says of it. */
export function joinTools(listed: readonly Json[], told: readonly Json[]): Tool[] {
  const entries = listed.filter(isObject)
  const byName = new Map(told.filter(isObject).map((one) => [text(one['name']), one]))
  const names = entries.map((one) => text(one['name']))
  return entries.map((one, index) => {
    const [server, name] = [text(one['server']), text(one['name'])]
    const long = `${server}__${name}`
    const alone = names.filter((other) => other === name).length === 1
    const mcpName = byName.has(long) ? long : alone && byName.has(name) ? name : nameAt(told, index, entries.length, one) ?? long
    return toolOf(one, byName.get(mcpName) ?? emptyObject(), mcpName)
  })
}

/** A name that was cut is found by its place: both lists have the same order. */
function nameAt(told: readonly Json[], index: number, length: number, entry: JsonObject): string | undefined {
  const other = told[index]
  if (told.length !== length || !isObject(other)) return undefined
  return text(other['description']) === text(entry['description']) ? text(other['name']) : undefined
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function toolOf(listed: JsonObject, told: JsonObject, mcpName: string): Tool {
  const [server, name] = [text(listed['server']), text(listed['name'])]
  const hints = isObject(told['annotations']) ? told['annotations'] : emptyObject()
  const title = text(told['title']) || text(hints['title'])
  const output = told['outputSchema'] ?? listed['outputSchema']
  return {
    key: `${server}/${name}`,
    server,
    name,
    mcpName,
    description: text(listed['description']),
    schema: told['inputSchema'] ?? listed['inputSchema'] ?? true,
    annotations: annotationsOf(hints),
    ...(title !== '' && title !== name ? { title } : {}),
    ...(output !== null && output !== undefined ? { output } : {}),
  }
}

function annotationsOf(hints: JsonObject): Annotations {
  const out: Annotations = {}
  const pairs = [['readOnlyHint', 'readOnly'], ['destructiveHint', 'destructive'], ['idempotentHint', 'idempotent'], ['openWorldHint', 'openWorld']] as const
  for (const [hint, name] of pairs) {
    const value = hints[hint]
    if (typeof value === 'boolean') out[name] = value
  }
  return out
}

/** The tools that match a search, by words in any order. */
export function searchTools(tools: readonly Tool[], query: string): Tool[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean)
  return tools.filter((tool) => {
    const all = `${tool.server} ${tool.name} ${tool.title ?? ''} ${tool.description}`.toLowerCase()
    return wanted.every((word) => all.includes(word))
  })
}

/** All tools, read so that no number of a schema loses a digit. */
export const playgroundQuery = queryOptions({
  queryKey: ['tools', 'playground'],
  queryFn: async ({ signal }) => {
    const response = await send('mcp/tools', { signal, headers: { 'X-Client-Id': CLIENT } })
    const body = await response.text()
    if (!response.ok) throw refusal(response.status, JSON.parse(body))
    const listed = parse(body)
    const entries = isObject(listed) && Array.isArray(listed['tools']) ? listed['tools'] : []
    return joinTools(entries, await listTools(signal).catch(() => []))
  },
  structuralSharing: false,
})
