import type { components } from './schema'

type Schemas = components['schemas']

/** A server as the admin API shows it. */
export type ServerView = Schemas['ServerView']
/** The words for the state of a server. */
export type ServerStatus = Schemas['Status']
/** One entry of `servers[]`, as the config file has it. */
export type ServerEntry = Schemas['ServerEntry']
/** A hook with its figures. */
export type HookView = Schemas['HookView']
/** A workflow with its validity. */
export type WorkflowView = Schemas['WorkflowView']

/** A JSON Schema, as far as one can say without reading it. */
export type JsonSchema = { [keyword: string]: unknown } | boolean

/** A tool as `GET /mcp/tools` lists it. */
export interface Tool {
  name: string
  server: string
  description: string
  inputSchema: JsonSchema
  outputSchema: JsonSchema | null
  timeout: number
  annotations?: Record<string, unknown>
  title?: string
}

/** Counts and times of the whole gateway. */
export type Figures = Schemas['Figures']
/** Counts and times of one server. */
export type ServerFigures = Schemas['ServerFigures']
/** Counts and times of one tool. */
export type ToolFigures = Schemas['ToolFigures']
/** Counts and times of one hook. */
export type HookFigures = Schemas['HookFigures']
/** The configuration with where each value comes from. */
export type EffectiveConfig = Schemas['Effective']
