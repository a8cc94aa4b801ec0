// Values that are typed into nodes as JSON: what is none yet stays, is told, and is not stored.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, gateway, type Gateway, open } from './support'
import { line, on, ready, store, stored } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ config: { activities: [{ name: 'note', run: { script: 'return { data: {} }' } }] } })
})
afterAll(() => lockgate.stop())

const variable = (set: object[]) => ({ id: 'v', type: 'variable', position: { x: 250, y: 200 }, data: { label: 'V', scope: 'run', set } })

/** Opens a workflow with a node that sets these values, and selects it. */
async function opened(name: string, ...set: object[]): Promise<{ id: string; page: Page }> {
  const { id } = await store(lockgate, line(name, [variable(set) as never]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await on(page, 'v').click()
  return { id, page }
}

const value = (page: Page, name: string) => page.getByRole('textbox', { name: `Value of ${name}` })
const isStored = (id: string, ...set: object[]) =>
  eventually('the values are stored', async () => JSON.stringify((await stored(lockgate, id)).nodes.find((one) => one.id === 'v')?.data['set']) === JSON.stringify(set))
const refused = (page: Page) => page.getByRole('status').filter({ hasText: 'Not saved yet' }).first()

test('a constant that is emptied stays empty, and what is typed then is stored', async () => {
  const { id, page } = await opened('Emptied', { name: 'a', value: 1 })
  await value(page, 'a').press('End')
  await page.keyboard.press('Backspace')
  expect(await value(page, 'a').inputValue()).toBe('')
  await page.getByText('This is not valid JSON.').waitFor()
  await page.keyboard.press('Control+s')
  await refused(page).waitFor()
  await value(page, 'a').pressSequentially('5.05')
  await page.keyboard.press('Control+s')
  await isStored(id, { name: 'a', value: 5.05 })
  await value(page, 'a').fill('')
  await value(page, 'a').pressSequentially('null')
  await page.keyboard.press('Control+s')
  await isStored(id, { name: 'a', value: null })
})

test('a constant that is no JSON is told, stays while one looks elsewhere and after a reload, and is not stored', async () => {
  const { id, page } = await opened('Half', { name: 'a', value: 'hello' })
  await value(page, 'a').press('Control+a')
  await page.keyboard.type('hello')
  await page.getByText('This is not valid JSON.').waitFor()
  await page.getByText('Not saved', { exact: true }).waitFor()
  await page.keyboard.press('Control+s')
  await refused(page).waitFor()
  await axe(page)
  await on(page, 'call').click()
  await page.getByRole('tab', { name: /Problems/ }).click()
  await page.getByRole('button', { name: '“V” has a value that cannot be read yet.' }).click()
  await page.getByRole('tab', { name: 'Inspector' }).click()
  expect(await value(page, 'a').inputValue()).toBe('hello')
  expect((await stored(lockgate, id)).revision).toBe(1)

  await eventually('the draft is kept', () => page.evaluate(() => Object.values(localStorage).some((text) => text.includes('$draft'))))
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByRole('button', { name: 'Restore the draft' }).click()
  await on(page, 'v').click()
  expect(await value(page, 'a').inputValue()).toBe('hello')
  await page.getByRole('button', { name: /^Undo/ }).click()
  expect(await value(page, 'a').inputValue()).toBe('"hello"')
})

test('what was typed into one value goes with it when it is removed', async () => {
  const { id, page } = await opened('Removed', { name: 'a', value: 1 }, { name: 'b', value: 2 })
  await value(page, 'a').press('Control+a')
  await page.keyboard.type('[1,')
  await page.getByRole('button', { name: 'Remove a' }).click()
  expect(await value(page, 'b').inputValue()).toBe('2')
  await page.keyboard.press('Control+s')
  await isStored(id, { name: 'b', value: 2 })
  await page.getByRole('button', { name: /^Undo/ }).click()
  expect(await value(page, 'a').inputValue()).toBe('[1,')
})

test('more of a step keeps what is no object yet, and stores nothing of it', async () => {
  const step = { activity: 'note', onUnknown: 'ask' }
  const nodes = [['s', 'start', {}], ['p', 'activity', { step }], ['e', 'end', {}]].map(([id, type, data], at) => ({ id, type, data, position: { x: at * 250, y: 0 } }))
  const { id } = await store(lockgate, { name: 'more', workflowType: 'session', nodes, edges: [{ source: 's', target: 'p' }, { source: 'p', target: 'e' }] })
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await on(page, 'p').click()
  const more = page.getByLabel('More of the step (JSON)')
  for (const [typed, said] of [['{"onUnknown": "re', 'This is not valid JSON.'], ['[1]', 'This must be a JSON object.']] as const) {
    await more.fill('')
    await more.pressSequentially(typed)
    await page.getByText(said).waitFor()
    await on(page, 's').click()
    await on(page, 'p').click()
    expect(await more.inputValue()).toBe(typed)
    await page.keyboard.press('Control+s')
    await refused(page).waitFor()
  }
  expect((await stored(lockgate, id)).revision).toBe(1)
  await more.fill('')
  await more.pressSequentially('{"onUnknown": "retry"}')
  await page.keyboard.press('Control+s')
  await eventually('the step is stored', async () => JSON.stringify((await stored(lockgate, id)).nodes[1]?.data['step']) === '{"activity":"note","onUnknown":"retry"}')
})
