/** What would happen to one request: every hook in its order, each seeing what the one before it left. */
import { errorOf, outcomeOf, phasesOf, type Context, type Hook, type Outcome, type Phase, type Trial } from '../model'

export type Skipped = 'disabled' | 'passed'

export interface Step {
  hook: Hook
  phase: Phase
  skipped?: Skipped
  trial?: Trial
  outcome?: Outcome
}

/** The road of a request, up to where it ends. */
export interface Road {
  pre: Step[]
  /** Whether the server, or the workflow before it, is reached. */
  reached: boolean
  post: Step[]
  /** Where it ended before its time. */
  ended?: { by: string; phase: Phase; message: string | undefined }
}

export type Try = (hook: Hook, phase: Phase, context: Context) => Promise<Trial>

/** Follows a request through the hooks; `reply` is what the server would say. */
export async function simulate(hooks: readonly Hook[], request: Context, reply: unknown, attempt: Try): Promise<Road> {
  const road: Road = { pre: [], reached: true, post: [] }
  let context = request
  let answer: { reply: unknown } | undefined
  let passing = false
  for (const hook of inPhase(hooks, 'pre')) {
    const step = await next(hook, 'pre', context, attempt, passing)
    road.pre.push(step)
    if (step.trial === undefined) continue
    const stop = stopOf(step)
    if (stop) return { ...road, reached: false, ended: stop }
    if (step.outcome === 'failed') continue
    context = step.trial.after
    if (step.outcome === 'answered') {
      answer ??= { reply: step.trial.verdict?.response }
      passing = step.trial.verdict?.continue === false
    }
  }
  road.reached = answer === undefined
  let after: Context = { ...context, response: answer ? answer.reply : reply, metadata: { ...context.metadata, duration: 1 } }
  for (const hook of inPhase(hooks, 'post')) {
    const step = await next(hook, 'post', after, attempt, false)
    road.post.push(step)
    if (step.trial === undefined) continue
    const stop = stopOf(step)
    if (stop) return { ...road, ended: stop }
    if (step.outcome !== 'failed') after = step.trial.after
  }
  return road
}

function inPhase(hooks: readonly Hook[], phase: Phase): Hook[] {
  return hooks.filter((hook) => phasesOf(hook.hookType).includes(phase))
}

async function next(hook: Hook, phase: Phase, context: Context, attempt: Try, passing: boolean): Promise<Step> {
  if (!hook.enabled) return { hook, phase, skipped: 'disabled' }
  if (passing) return { hook, phase, skipped: 'passed' }
  const trial = await attempt(hook, phase, context)
  return { hook, phase, trial, outcome: outcomeOf(trial) }
}

/** Whether the request ends at this step, and with which message. */
function stopOf({ hook, phase, trial, outcome }: Step): Road['ended'] {
  if (outcome === 'blocked') return { by: hook.name, phase, message: errorOf(trial?.verdict ?? null)?.message ?? undefined }
  if (outcome === 'failed' && hook.onError === 'stop') return { by: hook.name, phase, message: trial?.error?.message }
  return undefined
}
