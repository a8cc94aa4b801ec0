// Lists and maps in the form of a tool, filled in as people do: key by key, and in another order afterwards.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gateway, hard, open, type Gateway } from './support'

let running: Gateway
beforeAll(async () => {
  running = await gateway({ servers: [hard] })
})
afterAll(() => running.stop())

const field = (page: Page, place: string) => page.locator(`[data-field="${place}"]`)
const view = (page: Page, name: 'Form' | 'JSON') => page.getByRole('region', { name: 'Arguments' }).getByText(name, { exact: true }).click()

/** The form of the tool with lists and maps, with these arguments in it. */
async function rows(args: object): Promise<Page> {
  const page = await open(running, '#/tools?server=hard&tool=rows')
  await view(page, 'JSON')
  await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill(JSON.stringify(args))
  await view(page, 'Form')
  return page
}

/** The arguments that the form holds. */
async function held(page: Page): Promise<unknown> {
  await view(page, 'JSON')
  const text = await page.getByRole('textbox', { name: 'Arguments as JSON' }).innerText()
  await view(page, 'Form')
  return JSON.parse(text)
}

test('a number of a list or a map that is emptied keeps its place, and the next key goes into it', async () => {
  const page = await rows({ numbers: [1, 2, 3], scores: { a: 1, b: 2 } })
  for (const [place, keys] of [['/numbers/0', '5'], ['/numbers/2', '9'], ['/scores/a', '7.5']] as const) {
    await field(page, place).getByRole('textbox').last().press('End')
    await page.keyboard.press('Backspace')
    await page.keyboard.type(keys)
  }
  expect(await held(page)).toEqual({ numbers: [5, 2, 9], scores: { a: 7.5, b: 2 } })
})

test('an emptied number of a list is not sent before it is filled in', async () => {
  const page = await rows({ numbers: [1, 2] })
  await field(page, '/numbers/1').getByRole('textbox').press('End')
  await page.keyboard.press('Backspace')
  expect(await field(page, '/numbers/1').getByRole('textbox').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Finish the marked fields first').first().waitFor()
})
