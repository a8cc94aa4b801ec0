/**
 * What a script can use, read from the types that the gateway serves at `/api/hooks/types.d.ts`. Only the few
 * forms of TypeScript that stand there are understood; the rest is passed over.
 */

export interface Entry {
  name: string
  kind: 'variable' | 'function' | 'property' | 'method'
  /** Its type, as it is written. */
  type: string
  /** What its comment says. */
  info: string
  /** The members of a type that is written out in place. */
  members?: Entry[]
}

export interface Types {
  globals: Entry[]
  interfaces: Map<string, Entry[]>
  aliases: Map<string, string>
}

interface Token {
  text: string
  /** The comment before it. */
  doc: string
  start: number
  end: number
}

const TOKEN = /\/\*\*([\s\S]*?)\*\/|\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.\.\.|=>|[A-Za-z_$][\w$]*|\d+|[^\s]/g

function tokens(source: string): Token[] {
  const out: Token[] = []
  let doc = ''
  for (const match of source.matchAll(TOKEN)) {
    const [text, comment] = match
    if (comment !== undefined) doc = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim()).join(' ').trim()
    else if (!text.startsWith('/*') && !text.startsWith('//')) {
      out.push({ text, doc, start: match.index, end: match.index + text.length })
      doc = ''
    }
  }
  return out
}

class Reader {
  at = 0
  constructor(
    readonly source: string,
    readonly list: Token[],
  ) {}

  get token(): Token | undefined {
    return this.list[this.at]
  }

  is(text: string): boolean {
    return this.token?.text === text
  }

  take(text: string): boolean {
    if (!this.is(text)) return false
    this.at += 1
    return true
  }

  /** Passes everything up to one of these at the same depth, and gives the text. */
  upTo(...ends: string[]): string {
    const first = this.token
    let [depth, last] = [0, first]
    while (this.token !== undefined) {
      const { text } = this.token
      if (depth === 0 && ends.includes(text)) break
      if (['{', '(', '[', '<'].includes(text)) depth += 1
      if (['}', ')', ']', '>'].includes(text)) depth -= 1
      if (depth < 0) break
      last = this.token
      this.at += 1
    }
    return first === undefined || last === undefined ? '' : this.source.slice(first.start, last.end).replaceAll(/\s+/g, ' ')
  }

  /** What follows a name: its type, or its parameters and what it gives. */
  entry(name: Token, kinds: { value: Entry['kind']; call: Entry['kind'] }): Entry {
    const entry: Entry = { name: name.text, kind: kinds.value, type: '', info: name.doc }
    this.take('?')
    if (this.is('(') || this.is('<')) {
      entry.kind = kinds.call
      entry.type = this.upTo(';', '}')
    } else if (this.take(':')) {
      const start = this.at
      if (this.is('{')) entry.members = this.members()
      this.at = start
      entry.type = this.upTo(';', '}').replace(/^\|\s*/, '')
    }
    return entry
  }

  members(): Entry[] {
    const out: Entry[] = []
    this.take('{')
    while (this.token !== undefined && !this.take('}')) {
      const first = this.token
      this.take('readonly')
      if (this.is('[')) {
        this.upTo(';', '}')
      } else {
        const name: Token = { ...this.token, doc: first.doc === '' ? this.token.doc : first.doc }
        this.at += 1
        out.push(this.entry(name, { value: 'property', call: 'method' }))
      }
      this.take(';')
    }
    return out
  }
}

/** Reads the types; what is not understood is left out. */
export function readTypes(source: string): Types {
  const types: Types = { globals: [], interfaces: new Map(), aliases: new Map() }
  const reader = new Reader(source, tokens(source))
  while (reader.token !== undefined) {
    const first = reader.token
    reader.at += 1
    const named = (): Token => {
      const name = { ...(reader.token ?? first), doc: first.doc }
      reader.at += 1
      return name
    }
    if (first.text === 'interface') types.interfaces.set(named().text, reader.members())
    else if (first.text === 'type') {
      const name = named().text
      reader.take('=')
      types.aliases.set(name, reader.upTo(';'))
    } else if (first.text === 'declare') {
      reader.at += 1
      types.globals.push(reader.entry(named(), { value: 'variable', call: 'function' }))
    }
  }
  return types
}

/** The members of a type: written in place, or by the name of an interface. */
export function membersOf(types: Types, entry: Entry): Entry[] {
  if (entry.members !== undefined) return entry.members
  const named = entry.type.split('|').map((part) => types.interfaces.get(part.trim()))
  return named.find((members) => members !== undefined) ?? []
}

/** The texts that a type allows, when it is a list of them. */
export function literalsOf(types: Types, entry: Entry): string[] {
  const text = types.aliases.get(entry.type) ?? entry.type
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, literal = '']) => literal)
}
