import { afterAll, beforeAll, expect, test } from 'vitest'
import { front } from './front'
import { gateway, open, type Gateway } from './support'

let running: Gateway

beforeAll(async () => {
  running = await gateway()
})
afterAll(() => running.stop())

test('everything works below a sub-path', async () => {
  const proxy = await front(running.url, { prefix: '/gw/' })
  try {
    const page = await open(proxy, '#/servers')
    await page.locator('[data-link="live"]').waitFor()
    await page.locator('[data-server="health-server"][data-status="running"]').waitFor()
    await page.getByRole('button', { name: 'Restart' }).click()
    await expect.poll(async () => (await running.api<{ restarts: number }[]>('GET', 'api/servers'))[0]?.restarts).toBe(1)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/gw/')
  } finally {
    await proxy.stop()
  }
})

test('the policy of the page forbids what is not its own', async () => {
  const page = await open(running, '#/servers', { allow: /Content Security Policy|violates/ })
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
  const outcome = await page.evaluate(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.injected = true'
    document.body.append(script)
    const fetched = await fetch('https://example.com/').then(() => 'let out', () => 'kept in')
    return { injected: 'injected' in window, fetched }
  })
  expect(outcome).toEqual({ injected: false, fetched: 'kept in' })
})
