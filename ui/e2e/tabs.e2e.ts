import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demo, gateway, open, profile, type Gateway } from './support'

let running: Gateway

beforeAll(async () => {
  running = await gateway()
})
afterAll(() => running.stop())

const live = (page: Page) => page.locator('[data-link="live"]').waitFor()
const shows = (page: Page, name: string) => page.locator(`[data-server="${name}"]`).waitFor()

test('nine tabs are all live over one stream of events, and stay so when the one that reads it is closed', async () => {
  const context = await profile()
  let streams = 0
  context.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/api/events')) streams += 1
  })
  const pages: Page[] = []
  for (let count = 0; count < 9; count += 1) pages.push(await open(running, '#/servers', { context }))
  await Promise.all(pages.map(live))
  expect(streams).toBe(1)

  await running.api('POST', 'api/servers', { ...demo, name: 'second' })
  await Promise.all(pages.map((page) => shows(page, 'second')))

  await pages.shift()?.close()
  await expect.poll(() => streams).toBe(2)
  await Promise.all(pages.map(live))
  await running.api('POST', 'api/servers', { ...demo, name: 'third' })
  await Promise.all(pages.map((page) => shows(page, 'third')))
})

test('a gateway that goes away shows as offline, and the page stays', async () => {
  const other = await gateway()
  const page = await open(other, '#/servers', { allow: /ERR_|Failed to load resource|502/ })
  await live(page)
  await other.stop()
  await page.locator('[data-link="offline"]').waitFor()
  await shows(page, 'health-server')
})
