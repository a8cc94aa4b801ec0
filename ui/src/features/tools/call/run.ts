/** The run of the workflow that a call passed through: a reply does not name it, so it is looked for. */
import { api, unwrap } from '../../../shared/api/client'
import type { Run } from '../../../shared/lib/run'

const LOOKED_AT = 20

/** The name of the newest run, smaller than that of any later one; nothing when it cannot be known. */
export async function newestRun(): Promise<string | undefined> {
  try {
    const [newest] = await unwrap(api.GET('/api/runs', { params: { query: { brief: true, limit: 1 } } }))
    return newest?.id ?? ''
  } catch {
    return undefined
  }
}

/** The run of a call of that tool by that client, after a certain one. */
export async function runOf({ server, tool, after }: { server: string; tool: string; after: string }, client: string): Promise<string | undefined> {
  try {
    const runs = (await unwrap(api.GET('/api/runs', { params: { query: { brief: true, limit: LOOKED_AT, tool } } }))) as unknown as Run[]
    return runs.find((run) => run.id > after && isCall(run, server, tool, client))?.id
  } catch {
    return undefined
  }
}

function isCall({ context }: Run, server: string, tool: string, client: string): boolean {
  const { toolName, serverName, metadata } = context as { toolName?: string; serverName?: string; metadata?: { clientId?: string } }
  return toolName === tool && (serverName === undefined || serverName === server) && metadata?.clientId === client
}
