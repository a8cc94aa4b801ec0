import { beforeEach, expect, test, vi } from 'vitest'

type Stored = typeof import('./stored')
let stored: Stored

// How many characters the storage takes.
let room: number

/** Storage as a browser has it: what is kept are its own properties. */
class Kept {
  [key: string]: unknown
  getItem(key: string) {
    return this[key] ?? null
  }
  setItem(key: string, value: string) {
    const all = Object.entries({ ...this, [key]: value })
    if (all.reduce((sum, [name, one]) => sum + name.length + String(one).length, 0) > room) throw new DOMException('full', 'QuotaExceededError')
    this[key] = value
  }
  removeItem(key: string) {
    delete this[key]
  }
}

let kept: Kept

beforeEach(async () => {
  vi.resetModules()
  room = Infinity
  kept = new Kept()
  vi.stubGlobal('window', { localStorage: kept })
  stored = await import('./stored')
})

test('what belongs to somebody is read when it is known who that is, under a key of their own', () => {
  const read: string[] = []
  stored.whenMine(() => read.push(stored.mine('draft.1.')))
  expect(read).toEqual([])
  expect(stored.claimPage('a/b.c')).toBe(true)
  stored.whenMine(() => read.push('later'))
  expect(read).toEqual(['of.a%2Fb.c.draft.1.', 'later'])
})

test('where no key is needed the keys have no name', () => {
  expect(stored.claimPage('')).toBe(true)
  expect(stored.mine('draft.1.')).toBe('draft.1.')
})

test('a page is never that of two', () => {
  expect([stored.claimPage('ann'), stored.claimPage('ann'), stored.claimPage('bob'), stored.claimPage('')]).toEqual([true, true, false, false])
  expect(stored.mine('x')).toBe('of.ann.x')
})

test('what was kept while no key was needed goes to who signs in at that page, where they have nothing of their own', () => {
  const all = { theme: 'dark', 'draft.1.tab': 'a', 'draft.2': 'b', 'hooks.cases': 'c', 'playground.history': 'd', 'of.bob.draft.1.tab': 'e', 'of.ann.hooks.cases': 'f' }
  for (const [key, value] of Object.entries(all)) kept.setItem(`lockgate.${key}`, value)
  expect([stored.claimPage(''), stored.claimPage('ann'), stored.claimPage('ann'), stored.claimPage('bob')]).toEqual([true, false, false, false])
  // What is typed until the page is read anew is theirs too.
  expect(stored.mine('draft.1.')).toBe('of.ann.draft.1.')
  expect({ ...kept }).toEqual({
    'lockgate.theme': 'dark',
    'lockgate.of.ann.draft.1.tab': 'a',
    'lockgate.of.ann.draft.2': 'b',
    // They had some of their own; the other stays under no name.
    'lockgate.hooks.cases': 'c',
    'lockgate.of.ann.hooks.cases': 'f',
    'lockgate.of.ann.playground.history': 'd',
    'lockgate.of.bob.draft.1.tab': 'e',
  })
})

test('storage without room for a second copy keeps the first', () => {
  kept.setItem('lockgate.draft.1', 'long'.repeat(50))
  kept.setItem('lockgate.hooks.cases', 'c')
  room = 400
  expect([stored.claimPage(''), stored.claimPage('ann')]).toEqual([true, false])
  expect({ ...kept }).toEqual({ 'lockgate.draft.1': 'long'.repeat(50), 'lockgate.of.ann.hooks.cases': 'c' })
})

test('who signs in at a page that was just opened finds nothing that is under no name', () => {
  kept.setItem('lockgate.draft.1.tab', 'a')
  expect(stored.claimPage('ann')).toBe(true)
  expect(stored.storedKeys(stored.mine('draft.'))).toEqual([])
  expect({ ...kept }).toEqual({ 'lockgate.draft.1.tab': 'a' })
})
