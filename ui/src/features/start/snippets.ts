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

/** The snippets for the gateway at `base`, with a call of one of its tools where there is one. */
export function snippets(base: URL, tool: Tool | undefined): Snippet[] {
  const url = new URL('mcp', base).href
  return [
    { id: 'claude-code', client: 'Claude Code', text: `claude mcp add --transport http lockgate ${url}` },
    {
      id: 'claude-desktop',
      client: 'Claude Desktop',
      file: 'claude_desktop_config.json',
      text: json({ mcpServers: { lockgate: { command: 'npx', args: ['-y', 'mcp-remote', url] } } }),
    },
    { id: 'cursor', client: 'Cursor', file: '~/.cursor/mcp.json', text: json({ mcpServers: { lockgate: { url } } }) },
    { id: 'vscode', client: 'VS Code', file: '.vscode/mcp.json', text: json({ servers: { lockgate: { type: 'http', url } } }) },
    { id: 'curl', client: 'curl', text: curl(new URL('mcp/call', base).href, tool) },
  ]
}

function curl(url: string, tool: Tool | undefined): string {
  const body = {
    server: tool?.server ?? 'SERVER',
    toolName: tool?.name ?? 'TOOL',
    input: tool ? exampleValue(tool.inputSchema) : {},
  }
  const quoted = JSON.stringify(body).replaceAll("'", String.raw`'\''`)
  return `curl -s ${url} -H 'Content-Type: application/json' \\\n  -d '${quoted}'`
}
