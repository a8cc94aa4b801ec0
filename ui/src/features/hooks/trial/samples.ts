import type { Tool } from '../../../shared/api/types'
import type { Context, Phase } from '../model'

const placeholder: Pick<Tool, 'name' | 'server'> = { name: 'my-tool', server: 'my-server' }

/** What a hook sees of a call of a tool. */
export function callContext(tool: Pick<Tool, 'name' | 'server'> = placeholder, args: unknown = {}): Context {
  return {
    request: { method: 'tools/call', params: { name: tool.name, arguments: args } },
    requestType: 'CallTool',
    toolName: tool.name,
    serverName: tool.server,
    metadata: { clientId: 'sample', serverName: tool.server, serverId: tool.server, startTime: 0 },
  }
}

/** A reply as most tools give it. */
export const sampleReply = { content: [{ type: 'text', text: 'Contact: ada@example.com, password=hunter2' }] }

/** A context to begin with: a call, or the list of tools as it is now. */
export function sample(kind: 'call' | 'list', phase: Phase, tools: readonly Tool[]): Context {
  const context: Context =
    kind === 'call'
      ? callContext(tools[0])
      : { request: { method: 'tools/list', params: {} }, requestType: 'ListTools', metadata: { clientId: 'sample', startTime: 0 } }
  if (phase === 'pre') return context
  const list = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return { ...context, metadata: { ...context.metadata, duration: 12 }, response: kind === 'call' ? sampleReply : { tools: list } }
}
