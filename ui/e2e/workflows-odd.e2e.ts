// Nodes that hold what does not belong there, as a file, a clipboard or another program may have put it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, gateway, type Gateway, open } from './support'
import { line, on, ready, store, stored } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ config: { activities: [{ name: 'note', run: { script: 'return { data: {} }' } }] } })
})
afterAll(() => lockgate.stop())

const node = (id: string, type: string, at: number, data: object) => ({ id, type, position: { x: 250 * at, y: 320 }, data })

/** One node for each thing that does not belong where it stands. */
const odd = [
  ...[7, {}, true].map((hookModuleId, at) => node(`m${at}`, 'hook', at, { label: `M${at}`, hook: { hookModuleId, blocking: true } })),
  node('s', 'hook', 3, { label: { a: 1 }, hook: { script: 5, onError: {}, blocking: 'no' } }),
  node('h', 'hook', 4, { label: 'H', hook: 5 }),
  node('v', 'variable', 0, { label: 'V', scope: 5, set: [null, { name: 7, expression: {} }, 'x'] }),
  node('w', 'variable', 1, { label: 'W', set: {} }),
  node('c', 'condition', 2, { label: 'C', expression: { a: 1 } }),
].map((one, at) => ({ ...one, position: { x: 200 * (at % 3), y: 320 + 100 * Math.floor(at / 3) } }))

test('a stored workflow with values of the wrong kind opens, and each of its nodes can be looked at and mended', async () => {
  const { id } = await store(lockgate, line('Odd', odd as never))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  for (const one of odd) {
    await on(page, one.id).click()
    await page.getByRole('complementary').getByText(one.id, { exact: true }).waitFor()
  }
  await on(page, 'v').click()
  for (let left = 2; left >= 0; left -= 1) {
    await page.getByRole('button', { name: 'Remove the value' }).last().click()
    await expect.poll(() => page.getByRole('button', { name: 'Remove the value' }).count()).toBe(left)
  }
  await page.getByRole('button', { name: 'Add a value' }).click()
  await page.keyboard.press('Control+s')
  await eventually('it is stored', async () => JSON.stringify((await stored(lockgate, id)).nodes.find((one) => one.id === 'v')?.data['set']) === '[{"name":"value1","value":null}]')
})

test('a graph with values of the wrong kind can be pasted and looked at, also the steps of a session', async () => {
  const steps = [{ activity: 5, condition: {}, inputMapper: [1], compensate: { a: 1 } }, { parallel: [null, 'a', { activity: 7 }] }, 'x']
  const activities = steps.map((step, at) => node(`a${at}`, 'activity', at, { label: `A${at}`, step }))
  const session = {
    name: 'steps',
    workflowType: 'session',
    nodes: [node('start', 'start', 0, {}), node('p', 'activity', 1, { step: { activity: 'note' } }), node('end', 'end', 2, {})],
    edges: [{ source: 'start', target: 'p' }, { source: 'p', target: 'end' }],
  }
  for (const [workflow, nodes] of [[line('Pasted'), odd], [session, activities]] as const) {
    const { id } = await store(lockgate, workflow)
    const page = await open(lockgate, `#/workflows/${id}`)
    await ready(page)
    await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify({ nodes }))
    await page.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('Control+v')
    await page.getByText(/nodes pasted/).first().waitFor()
    await page.keyboard.press('Escape')
    for (const one of await page.locator('.react-flow__node').all()) {
      await one.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('complementary').getByText((await one.getAttribute('data-id')) ?? '', { exact: true }).waitFor()
    }
  }
})
