import { Tooltip } from 'radix-ui'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { parse } from '../../../shared/lib/json'
import type { Part } from './parts'

vi.stubGlobal('document', { baseURI: 'http://gateway/' })
const { PartView } = await import('./part')

/** What the tree of a part says, without its marks. */
function said(part: Part): string {
  const page = renderToStaticMarkup(<Tooltip.Provider><PartView part={part} /></Tooltip.Provider>)
  return page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

test.each(['12345678901234567890', '9007199254740993', '1.0', '-0', '1e400', '1E+2', '0.10', '0.12345678901234567890', '-1.50e-400'])('a number stands in the tree as it was sent: %s', (number) => {
  const text = `{"n":${number},"list":[${number}]}`
  const tree = `{ n: ${number} list: [ 0: ${number} ] }`
  expect(said({ kind: 'text', text })).toContain(tree)
  expect(said({ kind: 'unknown', value: parse(text) })).toContain(tree)
})
