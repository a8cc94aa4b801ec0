/** The last call of each tool, under way or done. It goes on while the reader looks elsewhere. */
import { create } from 'zustand'
import { mine, readStored, whenMine, writeStored } from '../../../shared/lib/stored'
import { format, isObject, type Json, type JsonObject } from '../../../shared/lib/json'
import { withoutSecrets } from '../schema/secrets'
import { documentOf } from '../store'
import type { Tool } from '../tools'
import { callTool, type LogLine, type Progress, type Reply } from './client'
import { answersTo, askingOf, type Action, type Asking } from './questions'
import { readHistory, remember, type Entry } from './history'
import { newestRun, runOf } from './run'
import { newTrace, split, type Split } from './split'

const historyKey = () => mine('playground.history')
const LOGS_MAX = 200
const ROUNDS_MAX = 32

export interface Call {
  id: string
  args: Json
  state: 'running' | 'asking' | 'done' | 'cancelled'
  startedAt: number
  progress?: Progress
  logs: LogLine[]
  /** What the server wants to know before it goes on. */
  asking?: Asking
  reply?: Reply
  time?: Split
  /** What tells its run from those of others: the tool, and the newest run before it. */
  trail?: { server: string; tool: string; after: string }
  /** The run of the workflow that it passed through. */
  runId?: string
}

interface Calls {
  calls: Readonly<Record<string, Call>>
  history: readonly Entry[]
  run: (tool: Tool, args: Json) => Promise<void>
  cancel: (key: string) => void
  /** Answers the questions of a call, all in the same way. */
  answer: (key: string, action: Action, contents?: Readonly<Record<string, Json>>) => void
  /** Shows a call of the history again. */
  show: (key: string, call: Call) => void
  /** Looks for the run of the last call, among those of this client. */
  findRun: (client: string) => Promise<void>
  clearHistory: () => void
}

const aborts = new Map<string, AbortController>()
const waiting = new Map<string, (more: JsonObject) => void>()
/** Whether a run is looked for, whether there is reason to look once more, and whose it is. */
const looking = { now: false, again: false, client: '' }

export const useCalls = create<Calls>()((set, get) => {
  const patch = (key: string, id: string, change: Partial<Call> | ((call: Call) => Partial<Call>)) => {
    set(({ calls }) => {
      const call = calls[key]
      if (call?.id !== id) return {}
      return { calls: { ...calls, [key]: { ...call, ...(typeof change === 'function' ? change(call) : change) } } }
    })
  }
  return {
    calls: {},
    history: [],
    cancel: (key) => {
      // A call that waits for an answer is told; one under way is left, which cancels it.
      if (get().calls[key]?.state === 'asking') get().answer(key, 'cancel')
      else aborts.get(key)?.abort()
    },
    answer: (key, action, contents = {}) => {
      const call = get().calls[key]
      if (call?.asking) waiting.get(key)?.(answersTo(call.asking, action, contents))
    },
    show: (key, call) => set(({ calls }) => ({ calls: { ...calls, [key]: call } })),
    findRun: async (client) => {
      looking.client = client
      looking.again = true
      if (looking.now) return
      looking.now = true
      try {
        while (looking.again) {
          looking.again = false
          const [latest] = Object.entries(get().calls).sort(([, a], [, b]) => b.startedAt - a.startedAt)
          if (!latest || latest[1].runId !== undefined || !latest[1].trail || !isRecent(latest[1])) break
          const runId = await runOf(latest[1].trail, looking.client)
          if (runId !== undefined) patch(latest[0], latest[1].id, { runId })
        }
      } finally {
        looking.now = false
      }
    },
    clearHistory: () => {
      writeStored(historyKey(), null)
      set({ history: [] })
    },
    run: async (tool, args) => {
      const abort = new AbortController()
      get().cancel(tool.key)
      aborts.set(tool.key, abort)
      const call: Call = { id: `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`, args, state: 'running', startedAt: Date.now(), logs: [] }
      set(({ calls }) => ({ calls: { ...calls, [tool.key]: call } }))
      const after = await newestRun()
      if (after !== undefined) patch(tool.key, call.id, { trail: { server: tool.server, tool: tool.name, after } })
      const ended = await carry(tool, args, abort.signal, {
        onProgress: (progress) => patch(tool.key, call.id, { progress }),
        onLog: (line) => patch(tool.key, call.id, ({ logs }) => ({ logs: [...logs, line].slice(-LOGS_MAX) })),
        onAsk: async (asking) => {
          patch(tool.key, call.id, { state: 'asking', asking })
          const more = await new Promise<JsonObject>((answered) => waiting.set(tool.key, answered))
          patch(tool.key, call.id, { state: 'running' })
          return more
        },
      })
      patch(tool.key, call.id, ended)
      if (ended.reply) keep(set, get, entryOf(tool, call, ended.reply, ended.time))
    },
  }
})

whenMine(() => useCalls.setState({ history: readHistory(readStored(historyKey())) }))

/** A run is told a moment after the reply, under a flood some seconds. */
function isRecent(call: Call): boolean {
  return call.state === 'running' || call.state === 'asking' || Date.now() - call.startedAt - (call.time?.total ?? 0) < 10_000
}

interface Heard {
  onProgress: (progress: Progress) => void
  onLog: (line: LogLine) => void
  /** Gives what the next round of the call carries. */
  onAsk: (asking: Asking) => Promise<JsonObject>
}

/** One call in as many rounds as the server asks for, with its time taken and split. */
async function carry(tool: Tool, args: Json, signal: AbortSignal, heard: Heard): Promise<Partial<Call>> {
  const trace = newTrace()
  let [ms, rounds] = [0, 0]
  let more: JsonObject | undefined
  for (;;) {
    const began = performance.now()
    const reply = await once(tool, args, trace, signal, heard, more)
    ms += performance.now() - began
    if (reply === undefined) return { state: 'cancelled', time: { total: ms, ran: [] } }
    const asking = askingOf(reply)
    if (asking === undefined || rounds >= ROUNDS_MAX) {
      // The server's clock goes on while a person thinks, so the parts of such a call say nothing.
      const time = rounds === 0 ? await split(trace, ms) : { total: ms, ran: [] }
      return { state: 'done', reply, time }
    }
    rounds += 1
    more = await heard.onAsk(asking)
  }
}

/** One round of a call; nothing when it was cancelled. */
async function once(tool: Tool, args: Json, trace: string, signal: AbortSignal, heard: Heard, more?: JsonObject): Promise<Reply | undefined> {
  const { onProgress, onLog } = heard
  try {
    return await callTool({ name: tool.mcpName, schema: tool.schema }, args, { trace, signal, onProgress, onLog }, more)
  } catch (error) {
    if (signal.aborted) return undefined
    return { kind: 'error', error: { code: 0, message: error instanceof Error ? error.message : String(error) }, text: '' }
  }
}

function entryOf(tool: Tool, call: Call, reply: Reply, time: Split | undefined): Entry {
  return {
    id: call.id,
    at: call.startedAt,
    server: tool.server,
    tool: tool.name,
    args: format(withoutSecrets(documentOf(tool.schema), call.args)),
    ok: succeeded(reply),
    ms: time?.total ?? 0,
    reply: reply.text,
  }
}

/** Whether a reply is a result without `isError`. */
export function succeeded(reply: Reply): boolean {
  if (reply.kind === 'error') return false
  const { result } = reply
  return !(isObject(result) && result['isError'] === true)
}

function keep(set: (part: Partial<Calls>) => void, get: () => Calls, entry: Entry): void {
  // Other tabs keep their calls in the same place.
  const stored = readStored(historyKey())
  const history = remember(stored === null ? get().history : readHistory(stored), entry)
  writeStored(historyKey(), JSON.stringify(history))
  set({ history })
}
