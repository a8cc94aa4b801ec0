import type { components } from '../../shared/api/schema'

type Schemas = components['schemas']

export type SessionStatus = Schemas['SessionStatus']
export type StepExecution = Schemas['StepExecution']
export type BranchDecision = Schemas['BranchDecision']

/** The way that was taken at a condition of the graph. */
export type Decision = Schemas['Decision']

/** One run of an activity, with what it was given and what it gave. */
export type Execution = Omit<Schemas['ExecutionDetail'], 'input' | 'output' | 'memory'> & { input?: unknown; output?: unknown; memory?: Record<string, unknown> }

/** One step of a session, with every time that it ran. */
export type StepDetail = Omit<Schemas['StepDetail'], 'executions'> & { executions: Execution[] }

/** One step of a session workflow, as its definition has it. */
export type Step = Omit<Schemas['Step'], 'input' | 'parallel'> & { input?: unknown; parallel?: Step[] }

/** A tool that may be called next. */
export type BranchOption = Omit<Schemas['BranchOption'], 'parameters'> & { parameters: Record<string, unknown> }

interface Where {
  stepIndex: number
  activityName: string
}

/** A question that somebody has to answer before a step runs. */
export type Question = Where & { for: 'approval'; input: unknown; digest: string; message?: string; since: number; expiresAt?: number }

/** What an open session waits for. */
export type Waiting =
  | Question
  | (Where & { for: 'event'; event: string; since: number; until?: number })
  | (Where & { for: 'session'; sessionId: string; sessionIds?: string[] })
  | (Where & { for: 'uncertain'; input: unknown; members?: { activityName: string; input: unknown }[]; choices: string[]; since: number })

/** One execution of a session workflow. */
export type Session = Omit<Schemas['WorkflowSession'], 'waiting' | 'memory'> & {
  memory: Record<string, unknown>
  waiting?: Waiting | null
}

export type SessionStats = Schemas['SessionStats']

/** What a tool of a session workflow answers, errors included. */
export interface Reply {
  content?: { text?: string }[]
  structuredContent?: { sessionId?: string; status?: string; waiting?: { for?: string } } | null
  isError?: boolean | null
}

/** The statuses in which a session can still go on. */
export const OPEN: readonly SessionStatus[] = ['pending', 'running', 'paused']

/** The statuses, in the order of a life. */
export const STATUSES: readonly SessionStatus[] = [...OPEN, 'completed', 'failed', 'cancelled']

/** The key of the start input in the memory. */
export const INPUT_KEY = '__workflow_input__'
