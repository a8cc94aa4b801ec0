// Writes a .gz beside every file of a build: what the binary embeds. The same input always gives the same bytes.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const folder = new URL('../dist.next/', import.meta.url).pathname

for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (!entry.isFile() || path.includes('.vite')) continue
  await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }))
}
