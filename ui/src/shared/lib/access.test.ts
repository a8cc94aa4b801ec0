import { expect, test } from 'vitest'
import { may, type Role, ROLES } from './access'

test('each role may do what those before it may, and a key without a role nothing', () => {
  const table = (role: Role | null) => ROLES.map((needs) => may({ name: 'ci', role }, needs))
  expect(table('viewer')).toEqual([true, false, false])
  expect(table('editor')).toEqual([true, true, false])
  expect(table('operator')).toEqual([true, true, true])
  expect(table(null)).toEqual([false, false, false])
})

test('without keys everybody may do everything', () => {
  expect(ROLES.every((needs) => may({}, needs))).toBe(true)
})
