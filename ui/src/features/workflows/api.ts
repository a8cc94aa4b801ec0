/** What this feature asks of the gateway. */
import { queryOptions } from '@tanstack/react-query'
import { api, ApiError, unwrap } from '../../shared/api/client'
import type { components } from '../../shared/api/schema'
import type { WorkflowView } from '../../shared/api/types'
import type { Graph } from '../../shared/lib/graph'
import type { Run } from '../../shared/lib/run'
import type { Told } from './editor/problems'
import type { NodeType, WorkflowType } from './editor/rules'

export type Template = components['schemas']['TemplateView']
export type Capture = components['schemas']['Capture']

/** A definition without what the gateway adds. */
export interface Definition {
  readonly name: string
  readonly description: string
  readonly workflowType: WorkflowType
  readonly graph: Graph
}

/** One workflow. */
export function workflowQuery(id: string) {
  return queryOptions({ queryKey: ['workflows', id], queryFn: () => getWorkflow(id) })
}

export const nodeTypesQuery = queryOptions({
  queryKey: ['node-types'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/node-types', { signal }))) as unknown as NodeType[],
  staleTime: 60_000,
})

export const templatesQuery = queryOptions({
  queryKey: ['workflows', 'templates'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/templates', { signal })),
})

export const capturesQuery = queryOptions({
  queryKey: ['captures'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/captures', { signal })),
  staleTime: 0,
})

/** The names of all activities. */
export const activitiesQuery = queryOptions({
  queryKey: ['activities'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/activities', { signal }))).map(({ name }) => name),
})

/** Whether a workflow comes from the config file, and so cannot be changed here. */
export function isFixed(workflow: WorkflowView): boolean {
  return (workflow as { source?: string }).source === 'config'
}

const at = (id: string) => ({ path: { id } })

export function getWorkflow(id: string): Promise<WorkflowView> {
  return unwrap(api.GET('/api/workflows/{id}', { params: at(id) }))
}

function bodyOf({ name, description, workflowType, graph }: Definition) {
  // The document says of nodes and edges only that they are objects.
  const [nodes, edges] = [graph.nodes, graph.edges] as unknown as [Record<string, never>[], Record<string, never>[]]
  return { name, description: description === '' ? null : description, workflowType, nodes, edges }
}

export function createWorkflow(definition: Definition): Promise<WorkflowView> {
  return unwrap(api.POST('/api/workflows', { body: bodyOf(definition) }))
}

/** Saves a definition, unless somebody else has saved the workflow since that revision. */
export function saveWorkflow(id: string, definition: Definition, revision: number): Promise<WorkflowView> {
  const params = { ...at(id), header: { 'If-Match': `"${revision}"` } }
  return unwrap(api.PATCH('/api/workflows/{id}', { params, body: bodyOf(definition) }))
}

/** Whether the workflow is there no more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

/** The revision that the gateway has, when a save was refused because somebody was faster. */
export function newerRevision(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 412)) return undefined
  const revision = error.details['revision']
  return typeof revision === 'number' ? revision : undefined
}

export async function deleteWorkflow(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/workflows/{id}', { params: at(id) }))
}

/** Makes a workflow active, or turns it off. */
export function switchWorkflow(id: string, on: boolean): Promise<WorkflowView> {
  const params = at(id)
  return unwrap(on ? api.POST('/api/workflows/{id}/activate', { params }) : api.POST('/api/workflows/{id}/disable', { params }))
}

function importWorkflow(definition: unknown): Promise<WorkflowView> {
  return unwrap(api.POST('/api/workflows/import', { body: definition as components['schemas']['WorkflowDraft'] }))
}

export async function exportWorkflow(id: string): Promise<unknown> {
  return unwrap(api.GET('/api/workflows/{id}/export', { params: at(id) }))
}

export function createFromTemplate(template: string, name: string, parameters: Record<string, unknown>): Promise<WorkflowView> {
  const body = { name, parameters: parameters as Record<string, never> }
  return unwrap(api.POST('/api/templates/{id}/create', { params: at(template), body }))
}

/** Keeps a workflow as a template of the own. */
export function saveTemplate(workflowId: string): Promise<Template> {
  return unwrap(api.POST('/api/templates', { body: { workflowId } }))
}

export async function deleteTemplate(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/templates/{id}', { params: at(id) }))
}

/** Makes a hook that only workflows run: the list passes it over until somebody enables it there. */
export function createModule(name: string, hookType: components['schemas']['HookType']): Promise<{ id: string }> {
  return unwrap(api.POST('/api/hooks', { body: { name, hookType, enabled: false, script: 'return { continue: true }\n' } }))
}

/** Deletes a hook; the gateway refuses while a workflow uses it. */
export async function deleteModule(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/hooks/{id}', { params: at(id) }))
}

/** Keeps what a file holds: a workflow, or a template. */
export async function importFile(content: unknown): Promise<{ name: string; kind: 'workflow' | 'template' }> {
  const isTemplate = typeof content === 'object' && content !== null && 'workflow' in content && 'parameters' in content
  if (!isTemplate) return { name: (await importWorkflow(content)).name, kind: 'workflow' }
  const body = content as unknown as components['schemas']['Template']
  return { name: (await unwrap(api.POST('/api/templates/import', { body }))).name, kind: 'template' }
}

/** Everything that the gateway finds wrong with a definition. */
export async function validate(id: string, definition: Definition, signal: AbortSignal): Promise<Told[]> {
  // With its id the name of a stored workflow does not count as taken.
  const body = { ...bodyOf(definition), id }
  const { problems } = await unwrap(api.POST('/api/workflows/validate', { body, signal }))
  return problems as unknown as Told[]
}

/** Makes one request through an active workflow, and gives the run. */
export async function executeWorkflow(id: string, context: Record<string, unknown>): Promise<Run> {
  const body = { context: context as Record<string, never> }
  return (await unwrap(api.POST('/api/workflows/{id}/execute', { params: at(id), body }))) as unknown as Run
}

const SESSIONS = 30

/** The newest sessions of a session workflow. */
export function sessionsQuery(workflowName: string) {
  return queryOptions({
    queryKey: ['session-list', 'of', workflowName],
    queryFn: ({ signal }) => unwrap(api.GET('/api/sessions', { params: { query: { workflowName, brief: true, limit: SESSIONS } }, signal })),
  })
}

/** What a tool of a session workflow says, when it is an error. */
function told(reply: unknown): void {
  const { isError, content } = reply as { isError?: boolean | null; content?: { text?: string }[] }
  if (isError) throw new Error(content?.map(({ text }) => text ?? '').join('\n') ?? '')
}

/** Starts a session of an active session workflow. */
export async function startSession(id: string, input: unknown): Promise<void> {
  told(await unwrap(api.POST('/api/workflows/{id}/execute', { params: at(id), body: input as never })))
}

/** Takes the next step of a session. */
export async function continueSession(id: string): Promise<void> {
  told(await unwrap(api.POST('/api/sessions/{id}/continue', { params: at(id), body: {} as never })))
}
