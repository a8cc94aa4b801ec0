import { expect, test } from 'vitest'
import type { ActivityView } from './api'
import { bodyOf, draftOf, hasMask, kindOf, NEW, patchOf } from './draft'

const view = (more: object): ActivityView => ({ name: 'a', run: { script: 'return {}' }, source: 'store', usedBy: [], ...more }) as unknown as ActivityView

const kinds = [
  { script: 'return {}' },
  { tool: { server: 's', name: 't' } },
  { http: { method: 'POST', url: 'https://x', headers: { A: 'b' }, body: { c: 1 } } },
  { workflow: { name: 'w' } },
]

test.each(kinds)('an activity of every kind comes back as it was: %o', (run) => {
  const whole = {
    name: 'a', description: 'd', inputSchema: { type: 'object' }, timeout: 5, retry: { maxAttempts: 3, backoffMs: 50, hooksPerAttempt: true },
    publish: true, run, onSuccess: 'console.log(1)', onUnknown: 'ask',
  }
  expect(bodyOf(draftOf(view(whole)))).toEqual(whole)
  expect(Object.keys(run)).toEqual([kindOf(view({ run }))])
})

test('a new activity has nothing that was not written', () => {
  expect(bodyOf({ ...NEW, name: ' x ', script: 'return {}' })).toEqual({ name: 'x', run: { script: 'return {}' } })
})

test.each(['1e400', '-1e400'])('a limit of %s, which no number holds, is sent as one that is refused, and not as none', (text) => {
  const { timeout } = bodyOf({ ...NEW, timeout: text })
  expect(patchOf({ timeout: 5 }, { timeout })).toEqual({ timeout: Math.sign(Number(text)) * Number.MAX_VALUE })
})

test('a text that is no JSON is refused', () => {
  expect(() => bodyOf({ ...NEW, inputSchema: '{' })).toThrow(SyntaxError)
})

test('only what differs is sent, and null for what went', () => {
  expect(patchOf({ name: 'a', timeout: 5, publish: true }, { name: 'a', timeout: 6 })).toEqual({ timeout: 6, publish: null })
})

test('a masked header is noticed only where it would be sent', () => {
  expect(hasMask({ run: { http: { url: 'x', headers: { Key: '***' } } } })).toBe(true)
  expect(hasMask({ run: { http: { url: 'x', headers: { Key: 'new' } } } })).toBe(false)
  expect(hasMask({ timeout: 3 })).toBe(false)
})
