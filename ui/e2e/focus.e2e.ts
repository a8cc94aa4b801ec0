// Buttons that are switched off by their own press: the keyboard stays on them.
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demo, eventually, gateway, open, type Gateway } from './support'
import { hook, line, ready, store } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [demo] })
})
afterAll(() => lockgate.stop())

const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement)

test('while its work goes on a button has the focus, does nothing, and can be pressed again afterwards', async () => {
  const page = await open(lockgate, '#/servers')
  let [asked, answer] = [0, () => {}]
  const held = new Promise<void>((done) => (answer = done))
  await page.route('**/restart', async (route) => {
    asked += 1
    await held
    await route.continue()
  })
  const restart = page.getByRole('article', { name: demo.name }).getByRole('button', { name: 'Restart' })
  await restart.focus()
  await page.keyboard.press('Enter')
  await eventually('it is busy', async () => (await restart.getAttribute('aria-busy')) === 'true')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  expect([await isFocused(restart), await restart.isDisabled(), asked]).toEqual([true, true, 1])
  answer()
  await eventually('it is done', async () => (await restart.getAttribute('aria-busy')) === null)
  expect([await isFocused(restart), await restart.isEnabled(), asked]).toEqual([true, true, 1])
  await page.keyboard.press('Enter')
  await eventually('it is asked again', async () => asked === 2)
})

test('in the editor the focus stays on what was pressed: save, the switch, and undo at the first edit', async () => {
  const { id } = await store(lockgate, line('Pressed', [hook('one', 250, 'return')]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.getByLabel('Name of the workflow').fill('Pressed once')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.focus()
  await page.keyboard.press('Enter')
  await eventually('it is saved', async () => (await lockgate.api<{ name: string }>('GET', `api/workflows/${id}`)).name === 'Pressed once')
  await eventually('there is nothing to save', () => save.isDisabled())
  expect(await isFocused(save)).toBe(true)

  const active = page.getByRole('switch', { name: 'Active' })
  await active.focus()
  await page.keyboard.press('Space')
  await eventually('it is on', async () => (await active.getAttribute('aria-checked')) === 'true' && (await active.isEnabled()))
  expect(await isFocused(active)).toBe(true)

  await page.getByLabel('Name of the workflow').fill('Pressed twice')
  const undo = page.getByRole('button', { name: /^Undo/ })
  await undo.focus()
  for (let presses = 0; presses < 20 && (await undo.isEnabled()); presses += 1) await page.keyboard.press('Enter')
  expect([await undo.isDisabled(), await isFocused(undo)]).toEqual([true, true])
  // Beyond the last edit it does nothing, and goes out of the way with the focus.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await undo.evaluate((button) => (button as HTMLButtonElement).disabled)).toBe(true)
})

test('a hook that is moved to the top by keyboard leaves the focus where it was pressed', async () => {
  for (const name of ['first', 'second']) await lockgate.api('POST', 'api/hooks', { name, hookType: 'pre', script: 'return' })
  const page = await open(lockgate, '#/hooks')
  const up = page.getByRole('button', { name: 'Move second up' })
  await up.focus()
  await page.keyboard.press('Enter')
  await eventually('it is first', async () => (await lockgate.api<{ name: string }[]>('GET', 'api/hooks'))[0]?.name === 'second')
  await eventually('it can go no further', () => up.isDisabled())
  expect(await isFocused(up)).toBe(true)
})
