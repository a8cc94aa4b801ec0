/**
 * Edits that are not saved yet. They are kept in the browser as they are typed, so that neither a click on
 * another hook nor a reload loses them.
 */
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { mine, readStored, whenMine, writeStored } from '../../shared/lib/stored'
import { sameFields, type Fields } from './model'

export interface Draft {
  /** What the gateway had when editing began; `null` for a hook that does not exist yet. */
  base: Fields | null
  fields: Fields
}

export type Drafts = Readonly<Record<string, Draft>>

const key = () => mine('hooks.drafts')

/** Edits a hook. A draft that says what the gateway says is none. */
export function edited(drafts: Drafts, id: string, base: Fields | null, change: Partial<Fields>): Drafts {
  const old = drafts[id] ?? { base, fields: base ?? { name: '', description: '', hookType: 'pre', onError: 'continue', script: '' } }
  const fields = { ...old.fields, ...change }
  if (old.base !== null && sameFields(old.base, fields)) return dropped(drafts, id)
  return { ...drafts, [id]: { base: old.base, fields } }
}

export function dropped(drafts: Drafts, id: string): Drafts {
  return Object.fromEntries(Object.entries(drafts).filter(([key]) => key !== id))
}

/** Takes what the gateway has now as the ground that the edits stand on. */
export function rebased(drafts: Drafts, id: string, base: Fields): Drafts {
  const draft = drafts[id]
  if (draft === undefined) return drafts
  return sameFields(draft.fields, base) ? dropped(drafts, id) : { ...drafts, [id]: { ...draft, base } }
}

/** Whether somebody else changed the hook since editing began. */
export function conflicts(draft: Draft | undefined, now: Fields): boolean {
  return draft?.base !== undefined && draft.base !== null && !sameFields(draft.base, now) && !sameFields(draft.fields, now)
}

/** A free id for a hook that does not exist yet. */
export function freshId(drafts: Drafts): string {
  let n = 1
  while (`new-${n}` in drafts) n += 1
  return `new-${n}`
}

export function isNew(id: string): boolean {
  return id.startsWith('new-')
}

function isFields(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const one = value as Record<string, unknown>
  const texts = ['name', 'description', 'script'].every((key) => typeof one[key] === 'string')
  return texts && ['pre', 'post', 'both'].includes(String(one['hookType'])) && ['continue', 'stop'].includes(String(one['onError']))
}

/** What was stored, as far as it is drafts. */
export function readDrafts(text: string | null): Drafts {
  try {
    const all: unknown = JSON.parse(text ?? '{}')
    if (typeof all !== 'object' || all === null) return {}
    return Object.fromEntries(
      Object.entries(all as Record<string, Partial<Draft> | null>).filter(
        ([, draft]) => isFields(draft?.fields) && (draft.base === null || isFields(draft.base)),
      ),
    ) as Drafts
  } catch {
    return {}
  }
}

interface Store {
  drafts: Drafts
  /** Whether the browser keeps the drafts; without room for them they end with the page. */
  kept: boolean
  set: (change: (drafts: Drafts) => Drafts) => void
}

export const useDrafts = create<Store>()((set) => ({
  drafts: {},
  kept: true,
  set: (change) => {
    set(({ drafts }) => {
      const next = change(drafts)
      const text = Object.keys(next).length === 0 ? null : JSON.stringify(next)
      writeStored(key(), text)
      return { drafts: next, kept: readStored(key()) === text }
    })
  },
}))

/** The hooks that have drafts, for what does not care what these say. */
export function useDraftIds(): readonly string[] {
  return useDrafts(useShallow(({ drafts }) => Object.keys(drafts)))
}

whenMine(() => useDrafts.setState({ drafts: readDrafts(readStored(key())) }))

// Other tabs edit the same drafts.
if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    if (event.key === `lockgate.${key()}`) useDrafts.setState({ drafts: readDrafts(event.newValue) })
  })
}
