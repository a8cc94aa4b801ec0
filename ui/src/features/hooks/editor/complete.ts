import { literalsOf, membersOf, type Entry, type Types } from './types'

/** What can stand at the cursor, and where the word begins that it replaces. */
export interface Completion {
  from: number
  options: { label: string; kind: Entry['kind'] | 'keyword' | 'text'; detail: string; info: string }[]
}

const CHAIN = /(?<![\w$.)\]])([A-Za-z_$][\w$]*(?:\s*\??\.\s*[A-Za-z_$][\w$]*)*)\s*\??\.\s*([\w$]*)$/
const COMPARED = /(?<![\w$.])([A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*)\s*[!=]==?\s*["']([^"'\n]*)$/
const PATTERN = /\bredact\([^()]*["']([\w]*)$/
const VERDICT = /\breturn\s*\(?\{(?:[^{}]|\{[^{}]*\})*?(?<=[{,]\s*)([\w$]*)$/
const WORD = /(?<![\w$.])([A-Za-z_$][\w$]*)$/

/** Completions for the text before the cursor; `undefined` when there is nothing to say. */
export function complete(types: Types, before: string): Completion | undefined {
  const compared = COMPARED.exec(before)
  if (compared) return texts(compared, literalsOf(types, find(types, compared[1] ?? '') ?? none), 2, before)
  const pattern = PATTERN.exec(before)
  if (pattern) return texts(pattern, literalsOf(types, { ...none, type: 'HookPattern' }), 1, before)
  if (quoted(before)) return undefined
  const chain = CHAIN.exec(before)
  if (chain) {
    const owner = find(types, chain[1] ?? '')
    return owner && offer(membersOf(types, owner), before, chain[2] ?? '')
  }
  const verdict = VERDICT.exec(before)
  if (verdict) return offer(types.interfaces.get('HookVerdict') ?? [], before, verdict[1] ?? '')
  const word = WORD.exec(before)
  return word ? offer(types.globals, before, word[1] ?? '') : undefined
}

const none: Entry = { name: '', kind: 'variable', type: '', info: '' }

function find(types: Types, chain: string): Entry | undefined {
  const [head, ...tail] = chain.split(/\s*\??\.\s*/)
  let at = types.globals.find((one) => one.name === head)
  for (const name of tail) at = at && membersOf(types, at).find((one) => one.name === name)
  return at
}

function offer(entries: readonly Entry[], before: string, word: string): Completion | undefined {
  if (entries.length === 0) return undefined
  const options = entries.map((one) => ({ label: one.name, kind: one.kind, detail: one.type, info: one.info }))
  return { from: before.length - word.length, options }
}

function texts(match: RegExpExecArray, literals: string[], group: number, before: string): Completion | undefined {
  if (literals.length === 0) return undefined
  const options = literals.map((label) => ({ label, kind: 'text' as const, detail: '', info: '' }))
  return { from: before.length - (match[group] ?? '').length, options }
}

/** Whether the cursor is within a text or a comment on its line. */
function quoted(before: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1)
  let open = ''
  for (let i = 0; i < line.length; i += 1) {
    const char = line.charAt(i)
    if (open !== '') {
      if (char === '\\') i += 1
      else if (char === open) open = ''
    } else if (char === '"' || char === "'" || char === '`') open = char
    else if (char === '/' && line[i + 1] === '/') return true
  }
  return open !== ''
}
