/** The run of the workflow that a call passed through: a reply does not name it, so it is looked for. */
import { api, unwrap } from '../../../shared/api/client'
import type { Run } from '../../../shared/lib/run'

/** How many runs are looked at in one go, and how often: others may call the same tool meanwhile, and often. */
const PAGE = 500
const PAGES = 10

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
    for (let offset = 0; offset < PAGE * PAGES; offset += PAGE) {
      const query = { brief: true, limit: PAGE, offset, tool }
      const runs = (await unwrap(api.GET('/api/runs', { params: { query } }))) as unknown as Run[]
      const later = runs.filter((run) => run.id > after)
      const own = later.find((run) => isCall(run, server, tool, client))
      if (own || later.length < PAGE) return own?.id
    }
  } catch {
    // Without the list there is no link.
  }
  return undefined
}

function isCall({ context }: Run, server: string, tool: string, client: string): boolean {
  const { toolName, serverName, metadata } = context as { toolName?: string; serverName?: string; metadata?: { clientId?: string } }
  return toolName === tool && (serverName === undefined || serverName === server) && metadata?.clientId === client
}
