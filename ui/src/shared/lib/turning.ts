/** Letters that are read from right to left, and signs that turn what follows them. */
const TURNING = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200f\u202a-\u202e\u2066-\u2069]/u

/** Whether a text turns what stands around it. */
export function turns(text: string): boolean {
  return TURNING.test(text)
}

/** A text that turns nothing but itself. */
export function alone(text: string): string {
  return turns(text) ? `\u2068${text}\u2069` : text
}
