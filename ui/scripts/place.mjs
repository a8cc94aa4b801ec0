// Puts a finished build in the place of the last one. A build that fails leaves the last one as it is, and the folder
// itself always stays: cargo watches it for changes.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'

const next = new URL('../dist.next/', import.meta.url)
const dist = new URL('../dist/', import.meta.url)

await mkdir(dist, { recursive: true })
for (const name of await readdir(dist)) await rm(new URL(name, dist), { recursive: true, force: true })
for (const name of await readdir(next)) await rename(new URL(name, next), new URL(name, dist))
await rm(next, { recursive: true, force: true })
await writeFile(new URL('.gitignore', dist), '# What `make ui` builds; only this file is kept.\n*\n!.gitignore\n')
