// Makes src/shared/api/schema.d.ts from openapi.json. With --check it only says whether they still agree.
// `--from <url>` first brings the document of a running gateway.
import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

const documentPath = new URL('../openapi.json', import.meta.url)
const typesPath = new URL('../src/shared/api/schema.d.ts', import.meta.url)
const from = process.argv.indexOf('--from')

if (from > 0) {
  const document = await (await fetch(new URL('/api/openapi.json', process.argv[from + 1]))).json()
  await writeFile(documentPath, JSON.stringify(document, null, 2) + '\n')
}

const header = '// Made from openapi.json by `npm run generate`; not edited by hand.\n\n'
const types = header + astToString(await openapiTS(documentPath))

if (process.argv.includes('--check')) {
  const present = await readFile(typesPath, 'utf8').catch(() => '')
  if (present !== types) {
    console.error('src/shared/api/schema.d.ts does not match openapi.json: run `npm run generate` in ui/.')
    process.exit(1)
  }
} else {
  await writeFile(typesPath, types)
}
