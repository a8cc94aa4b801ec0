import { expect, test } from 'vitest'
import { grantOf, isName, NEW, NO_ROLE, patternsOf } from './draft'

test('patterns are separated by commas, spaces and lines', () => {
  expect(patternsOf(' files, git-*\nweb/search  ')).toEqual(['files', 'git-*', 'web/search'])
  expect(patternsOf(' , ')).toEqual([])
})

test('what is left empty is not limited', () => {
  expect(grantOf(NEW)).toEqual({ role: 'viewer' })
  expect(grantOf({ ...NEW, role: NO_ROLE })).toEqual({})
})

test('a key ends with its last day', () => {
  const grant = grantOf({ ...NEW, role: 'operator', servers: 'files', tools: 'read_*', readOnly: true, expires: '2031-12-24' })
  expect(grant).toMatchObject({ role: 'operator', servers: ['files'], tools: ['read_*'], readOnly: true })
  expect(new Date(grant.expires ?? '').getTime()).toBe(new Date(2031, 11, 24, 23, 59, 59).getTime())
})

test.each([['ci-2', true], ['', false], ['a b', false], ['x'.repeat(51), false]])('%s is a name: %s', (name, good) => {
  expect(isName(name)).toBe(good)
})
