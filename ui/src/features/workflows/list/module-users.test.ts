import { expect, test } from 'vitest'
import { usersOf } from './module-users'

const node = (id: string, hook?: object) => ({ id, type: 'hook', position: { x: 0, y: 0 }, data: { label: id, ...(hook && { hook }) } }) as never

test('a module is used by every workflow that names it, each told once', () => {
  const users = usersOf([
    { id: 'w1', name: 'One', enabled: true, nodes: [node('a', { hookModuleId: 'm' }), node('b', { hookModuleId: 'm' }), node('c', { script: 'return' })], edges: [] },
    { id: 'w2', name: 'Two', enabled: false, nodes: [node('a', { hookModuleId: 'm' }), node('b', { hookModuleId: 'n' }), node('c', { hookModuleId: '' }), node('d')], edges: [] },
  ])
  expect([...users]).toEqual([
    ['m', [{ id: 'w1', name: 'One', enabled: true }, { id: 'w2', name: 'Two', enabled: false }]],
    ['n', [{ id: 'w2', name: 'Two', enabled: false }]],
  ])
})
