import type { KeyboardEvent } from 'react'

/** The key code of what an input method takes for itself. */
const TAKEN = 229

/**
 * Whether a key belongs to the input method, as Enter does that ends the choice of Japanese characters. Safari ends the
 * composition before it tells of the key, and leaves only its code.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === TAKEN
}
