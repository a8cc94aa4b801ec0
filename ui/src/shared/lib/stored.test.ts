import { beforeEach, expect, test, vi } from 'vitest'

type Stored = typeof import('./stored')
let stored: Stored

beforeEach(async () => {
  vi.resetModules()
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
