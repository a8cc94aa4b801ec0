import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, fixture, gateway, open, shot, type Gateway } from './support'

let running: Gateway

beforeAll(async () => {
  running = await gateway({ servers: [demo, fixture] })
})
afterAll(() => running.stop())

test('the dashboard waits for calls, then shows them live with the slow and the failing', async () => {
  const page = await open(running, '#/')
  await page.getByRole('heading', { name: 'No calls yet' }).waitFor()
  for (let count = 0; count < 20; count += 1) await running.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  await running.call('fixture', 'nil', {}).catch(() => null)
  await page.getByText('21 calls since the start').waitFor()
  await page.locator('.uplot canvas').waitFor()
  await page.getByRole('region', { name: 'Slowest tools' }).getByText('calculate-bmi').waitFor()
  await page.getByRole('region', { name: 'Failing tools' }).getByText('TOOL_EXECUTION_ERROR 1').waitFor()
  await axe(page)
  await shot(page, 'dashboard-live')
  await page.getByText('last 5 minutes').first().waitFor()
  await page.reload()
  await page.getByText('last 5 minutes').first().waitFor()
})

test('a server is restarted from the dashboard', async () => {
  const page = await open(running, '#/')
  await page.getByRole('button', { name: 'Restart health-server' }).click()
  await expect.poll(async () => (await running.api<{ restarts: number }[]>('GET', 'api/servers'))[0]?.restarts).toBe(1)
  await page.getByRole('row', { name: /health-server Running .* 1/ }).waitFor()
})
