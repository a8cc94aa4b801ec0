/** Which runs are shown. The filters live in the address, so that a view can be shared and reloaded. */
import type { Run } from '../../../shared/lib/run'

export interface Filters {
  readonly status?: Run['status']
  readonly workflow?: string
  readonly tool?: string
}

const STATUSES: readonly string[] = ['completed', 'error', 'running', 'cancelled'] satisfies Run['status'][]

/** The filters of an address; what makes no sense is left out. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const text = (key: string) => {
    const value = search[key]
    return value === undefined || value === null || value === '' ? undefined : String(value)
  }
  const [status, workflow, tool] = [text('status'), text('workflow'), text('tool')]
  return {
    ...(status && STATUSES.includes(status) ? { status: status as Run['status'] } : {}),
    ...(workflow ? { workflow } : {}),
    ...(tool ? { tool } : {}),
  }
}

/** What a run was about. */
export function subjectOf(run: Run): { tool: string; server: string; method: string } {
  const context = run.context as { toolName?: string; serverName?: string; request?: { method?: string } }
  return { tool: context.toolName ?? '', server: context.serverName ?? '', method: context.request?.method ?? '' }
}

/** Whether a run is shown. */
export function matches(run: Run, { status, workflow, tool }: Filters): boolean {
  if (status && run.status !== status) return false
  if (workflow && run.workflowId !== workflow) return false
  return !tool || subjectOf(run).tool.toLowerCase().includes(tool.toLowerCase())
}

/** Runs of several answers as one list: a run that came in twice while they were read is there once. */
export function unique(pages: readonly (readonly Run[])[]): Run[] {
  const seen = new Map<string, Run>()
  for (const run of pages.flat()) if (!seen.has(run.id)) seen.set(run.id, run)
  return [...seen.values()]
}
