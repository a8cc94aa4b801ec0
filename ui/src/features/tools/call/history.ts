/** The calls that were made here, kept in this browser: the newest first, bounded in number and size. */

export interface Entry {
  id: string
  at: number
  server: string
  tool: string
  /** The arguments, as JSON text. */
  args: string
  ok: boolean
  ms: number
  /** The reply, as JSON text; left out when it was too long to be kept. */
  reply?: string
}

const ENTRIES_MAX = 50
const REPLY_MAX = 20_000
const ARGS_MAX = 100_000
const TOTAL_MAX = 600_000

/** The list with one more entry, and without the oldest that do not fit any more. */
export function remember(list: readonly Entry[], entry: Entry): Entry[] {
  const { reply, ...rest } = entry
  const kept: Entry = reply !== undefined && reply.length <= REPLY_MAX ? entry : rest
  const all = entry.args.length <= ARGS_MAX ? [kept, ...list.filter((one) => one.id !== entry.id)] : [...list]
  let room = TOTAL_MAX
  return all.slice(0, ENTRIES_MAX).filter((one) => {
    room -= one.args.length + (one.reply?.length ?? 0)
    return room >= 0
  })
}

/** What was stored, as far as it is a history. */
export function readHistory(text: string | null): Entry[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const one = value as Record<string, unknown>
  const texts = ['id', 'server', 'tool', 'args'].every((key) => typeof one[key] === 'string')
  return texts && typeof one['at'] === 'number' && typeof one['ms'] === 'number' && typeof one['ok'] === 'boolean'
}
