/** What a text of JSON says; `bad` when it says nothing valid. An empty text gives nothing. */
export function readJson(text: string): { value?: unknown; bad?: true } {
  if (text.trim() === '') return {}
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { bad: true }
  }
}

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
