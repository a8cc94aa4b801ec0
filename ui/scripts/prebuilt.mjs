// Takes what `npm run build` made over into prebuilt, with a hash of the sources it was made from.
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { sourcesHash } from './sources.mjs'

const dist = new URL('../dist/', import.meta.url).pathname
const prebuilt = new URL('../prebuilt/', import.meta.url).pathname

await rm(prebuilt, { recursive: true, force: true })
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.gz')) continue
  const from = join(entry.parentPath, entry.name)
  const to = join(prebuilt, relative(dist, from))
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
}
await writeFile(join(prebuilt, 'SOURCES'), `${await sourcesHash()}\n`)
