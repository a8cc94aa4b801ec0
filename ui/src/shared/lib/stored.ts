/** A small value kept in the browser. A browser that refuses storage simply forgets it. */
export function readStored(key: string): string | null {
  try {
    return window.localStorage.getItem(`lockgate.${key}`)
  } catch {
    return null
  }
}

/** Keeps a value, or forgets it when it is null. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(`lockgate.${key}`)
    else window.localStorage.setItem(`lockgate.${key}`, value)
  } catch {
    // Without storage the value lasts as long as the page.
  }
}

/** The keys of values that are kept and begin so. */
export function storedKeys(beginning: string): string[] {
  try {
    const own = Object.keys(window.localStorage).filter((key) => key.startsWith(`lockgate.${beginning}`))
    return own.map((key) => key.slice('lockgate.'.length))
  } catch {
    return []
  }
}

/** How the keys of what belongs to a person begin. */
const PERSONAL = ['draft.', 'hooks.', 'playground.']

let person: string | undefined
// For whom things are kept: the person, or who signed in at a page that was nobody's.
let keeper = ''
const waiting: (() => void)[] = []

/**
 * Says who uses the page: the name of a key, nothing where none is needed. Gives false when the page was somebody
 * else's before; then it has to be read anew. What was kept at a page without keys goes to whoever signs in at it:
 * it was open before them. Where they have something of their own it stays under no name.
 */
export function claimPage(name: string): boolean {
  if (person === undefined) {
    person = name
    keeper = name
    for (const read of waiting.splice(0)) read()
  } else if (keeper === '' && name !== '') {
    keeper = name
    for (const key of PERSONAL.flatMap(storedKeys)) moveStored(key, mine(key))
  }
  return person === name
}

/** The key of something that belongs to whoever uses the page, and to nobody who signs in after. */
export function mine(key: string): string {
  return keeper ? `of.${encodeURIComponent(keeper)}.${key}` : key
}

/** What is already kept in that place stays. */
function moveStored(from: string, to: string): void {
  if (readStored(to) !== null) return
  const value = readStored(from)
  writeStored(to, value)
  // Storage that is nearly full refuses the second copy; then the first is the only one.
  if (readStored(to) === value) writeStored(from, null)
}

/** Reads what belongs to whoever uses the page, once it is known who that is. */
export function whenMine(read: () => void): void {
  if (person === undefined) waiting.push(read)
  else read()
}
