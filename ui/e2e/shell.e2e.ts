import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, eventually, gateway, open, shot, type Gateway } from './support'

let running: Gateway

beforeAll(async () => {
  running = await gateway()
})
afterAll(() => running.stop())

test('the language and the theme are chosen in the shell and kept', async () => {
  const page = await open(running, '#/servers')
  await page.getByRole('button', { name: 'Language' }).click()
  await page.getByRole('menuitem', { name: '日本語' }).click()
  await page.getByRole('heading', { name: 'サーバー', level: 1 }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('ja')
  await page.getByRole('button', { name: 'テーマ' }).click()
  await page.getByRole('menuitem', { name: 'ダーク' }).click()
  await page.reload()
  await page.getByRole('heading', { name: 'サーバー', level: 1 }).waitFor()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  await axe(page)
  await shot(page, 'shell-ja-dark')
})

test('the keyboard leads to every page and shows the list of its shortcuts', async () => {
  const page = await open(running, '#/settings')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the first stop of the keyboard skips the navigation', async () => {
  const page = await open(running, '#/servers')
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
})

test('an address that leads nowhere says so', async () => {
  const page = await open(running, '#/nowhere')
  await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor()
})

test('a dialog that closes gives the focus back to what opened it, also behind a menu', async () => {
  const page = await open(running, '#/servers')
  const closes = async (opener: Locator) => {
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await eventually('the focus is back', () => opener.evaluate((element) => element === document.activeElement))
  }
  const openers = [['#/servers', 'Log'], ['#/workflows', 'New workflow'], ['#/settings', 'New key']] as const
  for (const [path, name] of openers) {
    await page.goto(new URL(path, running.url).href)
    const opener = page.getByRole('main').getByRole('button', { name }).first()
    await opener.focus()
    await page.keyboard.press('Enter')
    await closes(opener)
  }
  await running.api('POST', 'api/servers', { ...demo, name: 'added' })
  await page.goto(new URL('#/servers', running.url).href)
  const menu = page.locator('[data-server="added"] button[aria-haspopup="menu"]')
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Remove' }).waitFor()
  await page.keyboard.press('Enter')
  await closes(menu)
})

test('a text that is cut for want of room is shown whole to whoever points at it', async () => {
  const name = 'redact-everything-that-looks-like-a-secret-before-it-leaves-the-house'
  await running.api('POST', 'api/hooks', { name, hookType: 'pre', script: 'return' })
  await running.api('POST', 'api/hooks', { name: 'short', hookType: 'pre', script: 'return' })
  const page = await open(running, '#/hooks')
  const text = (of: string) => page.locator(`[data-hook="${of}"]`).getByText(of)
  await text(name).hover()
  await expect.poll(() => text(name).getAttribute('title')).toBe(name)
  await text('short').hover()
  expect(await text('short').getAttribute('title')).toBeNull()
})
