// Checks the first load: the page, its style sheets, and every script that the dashboard needs, as gzip.
// Also checks that the code editor, the workflow canvas and the charts stay out of it.
import { readFile, stat } from 'node:fs/promises'

const LIMIT = 250_000
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'))

const files = new Set(['index.html'])
function need(key) {
  const chunk = manifest[key]
  if (files.has(chunk.file)) return
  files.add(chunk.file)
  for (const style of chunk.css ?? []) files.add(style)
  for (const next of chunk.imports ?? []) need(next)
}
need('index.html')
need('src/features/dashboard/index.ts')

let total = 0
for (const file of files) {
  const { size } = await stat(new URL(`${file}.gz`, dist))
  total += size
  console.log(`${String(size).padStart(8)}  ${file}`)
}
console.log(`${String(total).padStart(8)}  of ${LIMIT} bytes (gzip)`)
if (total > LIMIT) {
  console.error('The first load is over its budget: load something later, or leave it out.')
  process.exit(1)
}

for (const late of ['src/shared/ui/code-mirror.tsx', 'src/features/workflows/index.ts', 'src/features/dashboard/chart.tsx']) {
  const chunk = manifest[late]
  if (chunk && files.has(chunk.file)) {
    console.error(`${late} belongs to a later load, but the first load holds it.`)
    process.exit(1)
  }
}
