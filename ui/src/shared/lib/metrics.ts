/** One line of `GET /metrics`. */
export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** Reads the Prometheus text format; lines that are no samples are passed over. */
export function parseMetrics(text: string): Sample[] {
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, name, labels, value] = LINE.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    samples.push({ name, labels: readLabels(labels ?? ''), value: readNumber(value) })
  }
  return samples
}

function readLabels(text: string): Record<string, string> {
  const pairs = [...text.matchAll(LABEL)].map(([, key = '', value = '']) => [key, unescape(value)])
  return Object.fromEntries(pairs) as Record<string, string>
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
}

function readNumber(text: string): number {
  if (text === '+Inf') return Infinity
  return text === '-Inf' ? -Infinity : Number(text)
}

/** The samples of one metric whose labels have these values. */
export function select(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): Sample[] {
  const wanted = Object.entries(labels)
  return samples.filter((one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value))
}

/** The value that a part `q` of a histogram stays below, as Prometheus reckons it; `undefined` when it is empty. */
export function quantile(
  samples: readonly Sample[],
  name: string,
  q: number,
  labels?: Readonly<Record<string, string>>,
): number | undefined {
  const counts = new Map<number, number>()
  for (const one of select(samples, `${name}_bucket`, labels)) {
    const le = readNumber(one.labels['le'] ?? '')
    counts.set(le, (counts.get(le) ?? 0) + one.value)
  }
  const buckets = [...counts].sort(([a], [b]) => a - b)
  const all = buckets.at(-1)?.[1] ?? 0
  if (all === 0) return undefined
  let [below, under] = [0, 0]
  for (const [le, count] of buckets) {
    if (count >= q * all) return le === Infinity ? below : below + ((le - below) * (q * all - under)) / (count - under || 1)
    ;[below, under] = [le, count]
  }
  return below
}
