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

let person: string | undefined
const waiting: (() => void)[] = []

/**
 * Says who uses the page: the name of a key, nothing where none is needed. Gives false when the page was somebody
 * else's before; then it has to be read anew.
 */
export function claimPage(name: string): boolean {
  if (person === undefined) {
    person = name
    for (const read of waiting.splice(0)) read()
  }
  return person === name
}

/** The key of something that belongs to whoever uses the page, and to nobody who signs in after. */
export function mine(key: string): string {
  return person ? `of.${encodeURIComponent(person)}.${key}` : key
}

/** Reads what belongs to whoever uses the page, once it is known who that is. */
export function whenMine(read: () => void): void {
  if (person === undefined) waiting.push(read)
  else read()
}
