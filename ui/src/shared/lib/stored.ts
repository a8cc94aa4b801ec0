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
