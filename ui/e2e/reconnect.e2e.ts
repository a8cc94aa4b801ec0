import { readFile, writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { axe, demo, gateway, open, profile, shot } from './support'

test('after a restart of the gateway every tab is live again by itself and shows what changed meanwhile', async () => {
  const lockgate = await gateway()
  onTestFinished(() => lockgate.stop())
  const context = await profile()
  const allow = /ERR_|Failed to load resource|502/
  const servers = await open(lockgate, '#/servers', { context, allow })
  const hooks = await open(lockgate, '#/hooks', { context, allow })
  const pages = [servers, hooks]
  for (const page of pages) await page.locator('[data-link="live"]').waitFor()
  await servers.locator('[data-server="health-server"]').waitFor()

  await lockgate.restart(async () => {
    for (const page of pages) {
      await page.locator('[data-link="offline"]').waitFor()
      await page.getByRole('alert').filter({ hasText: 'what you see may be old' }).waitFor()
    }
    // What was there stays, and the page stays usable.
    expect(await servers.locator('[data-server="health-server"]').count()).toBe(1)
    await axe(servers)
    await shot(servers, 'offline')
    const config = JSON.parse(await readFile(lockgate.config, 'utf8')) as { servers: object[] }
    await writeFile(lockgate.config, JSON.stringify({ ...config, servers: [...config.servers, { ...demo, name: 'added-meanwhile' }] }))
  })
  for (const page of pages) {
    await page.locator('[data-link="live"]').waitFor()
    await page.locator('[data-banner="offline"]').waitFor({ state: 'detached' })
  }
  await servers.locator('[data-server="added-meanwhile"]').waitFor()

  // And changes arrive as they happen, in all tabs.
  await lockgate.api('POST', 'api/hooks', { name: 'after the restart', hookType: 'pre', script: 'return { action: "continue" }' })
  await hooks.getByText('after the restart').first().waitFor()
})

test('a page that was never opened waits for a gateway that is away, and comes without a reload', async () => {
  const lockgate = await gateway()
  onTestFinished(() => lockgate.stop())
  const context = await profile()
  const page = await open(lockgate, '#/servers', { context, allow: /ERR_|Failed to load resource|502/ })
  await page.locator('[data-link="live"]').waitFor()
  // Gone with the document: it tells whether the tab was loaded anew.
  await page.evaluate(() => Object.assign(window, { kept: true }))
  await lockgate.restart(async () => {
    await context.setOffline(true)
    await page.locator('[data-banner="offline"]').waitFor()
    await page.getByRole('link', { name: 'Schedules' }).click()
    await page.getByRole('main').getByRole('alert').filter({ hasText: 'The gateway cannot be reached' }).waitFor()
    await axe(page)
    await context.setOffline(false)
  })
  await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor()
  expect(await page.evaluate(() => 'kept' in window)).toBe(true)
})

test('a page that is opened while the gateway is away comes by itself', async () => {
  const lockgate = await gateway()
  onTestFinished(() => lockgate.stop())
  const page = await open(lockgate, '#/', { allow: /./ })
  await page.route('**/api/session', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
  await page.goto(new URL('#/servers', lockgate.url).href)
  await page.reload()
  await page.getByRole('main').getByRole('alert').filter({ hasText: 'Is the gateway running?' }).waitFor()
  await axe(page)
  await page.unroute('**/api/session')
  await page.locator('[data-server="health-server"]').waitFor()
})

test('a page whose file the gateway has no more is read anew', async () => {
  const lockgate = await gateway()
  onTestFinished(() => lockgate.stop())
  const page = await open(lockgate, '#/servers', { allow: /Failed to load resource/ })
  await page.locator('[data-link="live"]').waitFor()
  await page.evaluate(() => Object.assign(window, { kept: true }))
  await page.route('**/assets/**', (route) => route.fulfill({ status: 404, body: '' }))
  const anew = page.waitForEvent('domcontentloaded')
  await page.getByRole('link', { name: 'Schedules' }).click()
  await anew
  expect(await page.evaluate(() => 'kept' in window)).toBe(false)
  await page.unroute('**/assets/**')
  await page.reload()
  await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor()
})
