/** A key while it is made: every field as it stands in the form. */
import type { Role } from '../../../shared/lib/access'
import type { Grant } from './api'

export const NO_ROLE = 'none'

export interface Draft {
  name: string
  role: Role | typeof NO_ROLE
  servers: string
  tools: string
  readOnly: boolean
  /** A day, as a field of dates has it; the key ends with it. */
  expires: string
}

export const NEW: Draft = { name: '', role: 'viewer', servers: '', tools: '', readOnly: false, expires: '' }

/** Patterns separated by commas or spaces. */
export function patternsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((pattern) => pattern !== '')
}

/** What the API takes. */
export function grantOf({ role, servers, tools, readOnly, expires }: Draft): Grant {
  const [serverPatterns, toolPatterns] = [patternsOf(servers), patternsOf(tools)]
  return {
    ...(role !== NO_ROLE && { role }),
    ...(serverPatterns.length > 0 && { servers: serverPatterns }),
    ...(toolPatterns.length > 0 && { tools: toolPatterns }),
    ...(readOnly && { readOnly }),
    ...(expires !== '' && { expires: new Date(`${expires}T23:59:59`).toISOString() }),
  }
}

/** Whether a name will do. */
export const isName = (name: string): boolean => /^[a-zA-Z0-9_-]{1,50}$/.test(name)
