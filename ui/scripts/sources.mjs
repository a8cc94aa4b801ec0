// One hash over everything that the built page depends on. tests/tests/web.rs computes the same.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const root = new URL('..', import.meta.url).pathname
const single = ['index.html', 'package.json', 'package-lock.json', 'scripts/compress.mjs', 'tsconfig.json', 'vite.config.ts']
const folders = ['public', 'src']

/** The hash of the sources as they are now, in hexadecimal digits. */
export async function sourcesHash() {
  const all = createHash('sha256')
  for (const path of (await paths()).sort()) {
    const content = createHash('sha256').update(await readFile(join(root, path))).digest('hex')
    all.update(`${path} ${content}\n`)
  }
  return all.digest('hex')
}

async function paths() {
  const found = [...single]
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      const isTest = /\.test\.tsx?$/.test(entry.name)
      if (entry.isFile() && !isTest) found.push(relative(root, join(entry.parentPath, entry.name)))
    }
  }
  return found
}
