/** Test cases of hooks: a context, and what the script shall make of it. They are kept in this browser. */
import { create } from 'zustand'
import { mine, readStored, whenMine, writeStored } from '../../../shared/lib/stored'
import { readJson, writeJson } from '../../../shared/lib/values'
import { errorOf, outcomeOf, type Context, type Phase, type Trial, type Verdict } from '../model'
import { diff, same, type Change } from './diff'

export interface Case {
  id: string
  name: string
  phase: Phase
  context: Context
  expected: Expected
}

/** What counts of a trial: the decision, what it left behind, or how it failed. */
export interface Expected {
  verdict: Verdict | null
  after: Context
  error?: string
}

export type Cases = Readonly<Record<string, readonly Case[]>>

/** Where a trial differs from what is expected; nothing when the case holds. */
export interface Finding {
  verdict?: { expected: unknown; got: unknown }
  changes: Change[]
}

/** What a script decided. What else it returned shows in the context that it left. */
function decisionOf(trial: Trial): Verdict | null {
  if (trial.verdict === null) return null
  const outcome = outcomeOf(trial)
  const error = outcome === 'blocked' ? errorOf(trial.verdict) : undefined
  return {
    continue: trial.verdict.continue,
    ...(outcome === 'answered' && { response: trial.verdict.response }),
    ...(error && { error }),
  }
}

export function expectedOf(trial: Trial): Expected {
  return { verdict: decisionOf(trial), after: trial.after, ...(trial.error ? { error: trial.error.code } : {}) }
}

/** Compares a trial with what a case expects. */
export function judge(expected: Expected, trial: Trial): Finding | undefined {
  const got = expectedOf(trial)
  const decision = (one: Expected) => (one.error === undefined ? one.verdict : { error: one.error })
  const verdict = same(decision(expected), decision(got)) ? undefined : { expected: decision(expected), got: decision(got) }
  const changes = diff(expected.after, got.after)
  if (verdict === undefined && changes.length === 0) return undefined
  return { changes, ...(verdict && { verdict }) }
}

const key = () => mine('hooks.cases')
const PER_HOOK_MAX = 50

export function added(cases: Cases, hook: string, one: Case): Cases {
  const own = cases[hook] ?? []
  return { ...cases, [hook]: [...own.filter(({ id }) => id !== one.id), one].slice(-PER_HOOK_MAX) }
}

export function removed(cases: Cases, hook: string, id: string): Cases {
  return { ...cases, [hook]: (cases[hook] ?? []).filter((one) => one.id !== id) }
}

/** The cases of a draft become those of the hook that it is saved as. */
export function moved(cases: Cases, from: string, to: string): Cases {
  const { [from]: own = [], ...rest } = cases
  return { ...rest, [to]: [...(rest[to] ?? []), ...own] }
}

function isCase(value: unknown): value is Case {
  if (typeof value !== 'object' || value === null) return false
  const one = value as Partial<Case>
  return typeof one.id === 'string' && typeof one.name === 'string' && (one.phase === 'pre' || one.phase === 'post') && typeof one.context === 'object' && typeof one.expected === 'object'
}

/** What was stored, as far as it is cases. */
export function readCases(text: string | null): Cases {
  try {
    const all: unknown = readJson(text ?? '{}')
    if (typeof all !== 'object' || all === null) return {}
    return Object.fromEntries(Object.entries(all).map(([hook, own]) => [hook, Array.isArray(own) ? own.filter(isCase) : []]))
  } catch {
    return {}
  }
}

interface Store {
  cases: Cases
  set: (change: (cases: Cases) => Cases) => void
}

export const useCases = create<Store>()((set) => ({
  cases: {},
  set: (change) => {
    set(({ cases }) => {
      const next = change(cases)
      writeStored(key(), writeJson(next))
      return { cases: next }
    })
  },
}))

whenMine(() => useCases.setState({ cases: readCases(readStored(key())) }))

// Other tabs edit the same cases.
if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    if (event.key === `lockgate.${key()}`) useCases.setState({ cases: readCases(event.newValue) })
  })
}
