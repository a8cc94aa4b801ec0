// Typing as people do: with an input method, slowly, and faster than the page answers.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demo, fixture, gateway, open, type Gateway } from './support'
import { line, on, ready, store } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [demo, fixture] })
})
afterAll(() => lockgate.stop())

/** The Enter that ends the choice of characters, as browsers tell of it: during the composition, or just after it. */
async function choose(field: Locator): Promise<void> {
  await field.evaluate((element) => {
    for (const how of [{ isComposing: true }, { keyCode: 229 }]) element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...how }))
  })
}

test('the Enter that ends a Japanese word opens no tool, picks no node and adds no member', async () => {
  const page = await open(lockgate, '#/tools?server=health-server&tool=calculate-bmi', { language: 'ja' })
  const search = page.getByRole('searchbox').first()
  await search.fill('echo')
  await page.getByText('health-server / calculate-bmi').waitFor()
  await choose(search)
  expect(page.url()).toContain('calculate-bmi')
  await search.press('Enter')
  await page.waitForURL(/tool=echo/)

  const { id } = await store(lockgate, line('検索'))
  const editor = await open(lockgate, `#/workflows/${id}`, { language: 'ja' })
  await ready(editor)
  await on(editor, 'call').click()
  await editor.keyboard.press('/')
  const finder = editor.getByRole('combobox', { name: '検索' })
  await finder.fill('end')
  await choose(finder)
  expect(await editor.getByRole('dialog').count()).toBe(1)
  await finder.press('Enter')
  await editor.getByRole('dialog').waitFor({ state: 'detached' })
  await editor.locator('.react-flow__node.selected[data-id="end"]').waitFor()
})

/** Waits until the filter is in the address. */
const settled = (page: Page, text: string) => expect.poll(() => new URLSearchParams(page.url().split('?')[1]).get('text')).toBe(text)

test('a pause after a word does not take the blank behind it away', async () => {
  const page = await open(lockgate, '#/requests')
  await lockgate.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.pressSequentially('two ')
  await settled(page, 'two')
  await search.pressSequentially('words')
  await settled(page, 'two words')
  expect(await search.inputValue()).toBe('two words')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => search.inputValue()).toBe('')
  // What was typed before may come back.
  await page.goto(new URL('#/requests?text=two+words', lockgate.url).href)
  await expect.poll(() => search.inputValue()).toBe('two words')
})
