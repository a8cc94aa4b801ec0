/** The numbers that are allowed: `1 – 9`, `≥ 1`, `> 0`. */
export function rangeText(min: string | undefined, max: string | undefined): string {
  const exclusive = (text: string | undefined) => text?.startsWith('>') === true || text?.startsWith('<') === true
  if (min !== undefined && max !== undefined && !exclusive(min) && !exclusive(max)) return `${min} – ${max}`
  const bound = (text: string, sign: string) => (exclusive(text) ? `${text.charAt(0)} ${text.slice(1)}` : `${sign} ${text}`)
  return [min !== undefined && bound(min, '≥'), max !== undefined && bound(max, '≤')].filter(Boolean).join(', ')
}
