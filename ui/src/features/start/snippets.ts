import { exampleValue } from '../../shared/lib/example'
import type { Tool } from '../../shared/api/types'

/** What to give to one client so that it finds the gateway. */
export interface Snippet {
  id: string
  client: string
  /** The file it belongs into; a command for the terminal when there is none. */
  file?: string
  text: string
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

/** What stands in the place of the reader's key. */
export const KEY = 'YOUR_KEY'

/** The snippets for the gateway at `base`, with a call of one of its tools where there is one, and a key where one is needed. */
export function snippets(base: URL, tool: Tool | undefined, needsKey = false): Snippet[] {
  const url = new URL('mcp', base).href
  const headers = needsKey ? { headers: { Authorization: `Bearer ${KEY}` } } : {}
  return [
    { id: 'claude-code', client: 'Claude Code', text: `claude mcp add --transport http lockgate ${url}${needsKey ? ` \\\n  --header 'Authorization: Bearer ${KEY}'` : ''}` },
    { id: 'claude-desktop', client: 'Claude Desktop', file: 'claude_desktop_config.json', text: json({ mcpServers: { lockgate: bridge(url, needsKey) } }) },
    { id: 'cursor', client: 'Cursor', file: '~/.cursor/mcp.json', text: json({ mcpServers: { lockgate: { url, ...headers } } }) },
    { id: 'vscode', client: 'VS Code', file: '.vscode/mcp.json', text: json(vscode(url, needsKey)) },
    { id: 'curl', client: 'curl', text: curl(new URL('mcp/call', base).href, tool, needsKey) },
  ]
}

/** A client that only starts programs gets one that speaks to the gateway. Its arguments may hold no blanks. */
function bridge(url: string, needsKey: boolean): object {
  // Without encryption it only goes to this machine, unless it is told.
  const args = ['-y', 'mcp-remote', url, ...(/^http:\/\/(?!localhost|127\.|\[::1\])/.test(url) ? ['--allow-http'] : [])]
  if (!needsKey) return { command: 'npx', args }
  return { command: 'npx', args: [...args, '--header', 'Authorization:${LOCKGATE_AUTH}'], env: { LOCKGATE_AUTH: `Bearer ${KEY}` } }
}

/** This one asks for the key and keeps it out of the file. */
function vscode(url: string, needsKey: boolean): object {
  if (!needsKey) return { servers: { lockgate: { type: 'http', url } } }
  const inputs = [{ type: 'promptString', id: 'lockgate-key', description: 'Lockgate key', password: true }]
  return { inputs, servers: { lockgate: { type: 'http', url, headers: { Authorization: 'Bearer ${input:lockgate-key}' } } } }
}

function curl(url: string, tool: Tool | undefined, needsKey: boolean): string {
  const body = {
    server: tool?.server ?? 'SERVER',
    toolName: tool?.name ?? 'TOOL',
    input: tool ? exampleValue(tool.inputSchema) : {},
  }
  const quoted = JSON.stringify(body).replaceAll("'", String.raw`'\''`)
  const key = needsKey ? ` -H 'Authorization: Bearer ${KEY}'` : ''
  return `curl -s ${url} -H 'Content-Type: application/json'${key} \\\n  -d '${quoted}'`
}
