import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, fixture, gateway, open, shot, type Gateway } from './support'

let running: Gateway

beforeAll(async () => {
  running = await gateway({ servers: [demo, fixture] })
})
afterAll(() => running.stop())

test('a log of 100,000 lines keeps few rows in the page', async () => {
  const page = await open(running, '#/servers')
  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at + 1} of the log`)
  await page.route('**/api/servers/fixture/logs', (route) => route.fulfill({ json: lines }))
  await page.getByRole('article', { name: 'fixture' }).getByRole('button', { name: 'Log' }).click()
  const dialog = page.getByRole('dialog', { name: 'Log of fixture' })
  await dialog.getByText('line 100000 of the log').waitFor()
  expect(await dialog.getByRole('listitem').count()).toBeLessThanOrEqual(60)
  await dialog.getByRole('region').focus()
  await page.keyboard.press('Home')
  await dialog.getByText('line 1 of the log', { exact: true }).waitFor()
  expect(await dialog.getByRole('listitem').count()).toBeLessThanOrEqual(60)
  await axe(page)
  await shot(page, 'servers-log')
})

test('a server is restarted and removed from its card', async () => {
  await running.api('POST', 'api/servers', { ...demo, name: 'guest' })
  const page = await open(running, '#/servers')
  const card = page.getByRole('article', { name: 'guest' })
  await card.getByRole('button', { name: 'Restart' }).click()
  await expect.poll(() => card.locator('dt:text("Restarts") + dd').innerText()).toBe('1')
  await card.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('dialog', { name: 'Remove guest?' }).getByRole('button', { name: 'Remove' }).click()
  await card.waitFor({ state: 'detached' })
})

test('an edited config file shows as not in effect until it is read again', async () => {
  const page = await open(running, '#/settings')
  await page.getByRole('row', { name: /http.timeoutStatus 408 default/ }).waitFor()
  await writeFile(running.config, JSON.stringify({ startup: { onServerFailure: 'degrade' }, http: { timeoutStatus: 504 }, servers: [demo, fixture] }))
  await page.reload()
  const notice = page.getByRole('note').filter({ hasText: 'edited since it was read' })
  await notice.getByRole('button', { name: 'Reload config' }).click()
  await notice.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /http.timeoutStatus 504 config file/ }).waitFor()
  await page.getByRole('row', { name: /^port .* command line --port/ }).waitFor()
})

test('hooks are exported and imported again', async () => {
  await running.api('POST', 'api/hooks', { name: 'kept', hookType: 'pre', script: 'return { action: "continue" }' })
  const page = await open(running, '#/settings')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const file = await (await downloading).path()
  const [hook] = await running.api<{ id: string }[]>('GET', 'api/hooks')
  await running.api('DELETE', `api/hooks/${hook?.id}`)
  await page.getByLabel('Import', { exact: true }).setInputFiles(file)
  await page.getByText('1 imported, 0 there already, 0 refused').first().waitFor()
  const hooks = await running.api<{ name: string }[]>('GET', 'api/hooks')
  expect(hooks.map(({ name }) => name)).toEqual(['kept'])
})
