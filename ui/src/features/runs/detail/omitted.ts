/** The largest value that a run keeps, in bytes. */
export const KEPT = 65_536

/** How many bytes a value had that was too large for the record of a run; nothing for one that is there. */
export function omittedOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const keys = Object.keys(value)
  const bytes = (value as { omittedBytes?: unknown }).omittedBytes
  return keys.length === 1 && typeof bytes === 'number' ? bytes : undefined
}
