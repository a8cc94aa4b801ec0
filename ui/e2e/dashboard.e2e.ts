import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, fixture, gateway, open, shot, type Gateway } from './support'
import { hook, line, store } from './workflow-graphs'

const activities = [{ name: 'note', run: { script: 'return { data: { ok: true } }' } }]
const long = 'deliver_what_was_ordered_to_everybody_who_ordered_it'
const workflows = [{ name: long, steps: [{ activity: 'note' }, { activity: 'note', approve: { message: 'May it go?' } }] }, { name: 'deliver', steps: [{ activity: 'note' }, { activity: 'note' }, { activity: 'note' }] }]

let running: Gateway

beforeAll(async () => {
  running = await gateway({ servers: [demo, fixture], config: { activities, workflows } })
})
afterAll(() => running.stop())

test('the dashboard waits for calls, then shows them live with the slow and the failing', async () => {
  const page = await open(running, '#/')
  await page.getByRole('heading', { name: 'No calls yet' }).waitFor()
  for (let count = 0; count < 20; count += 1) await running.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  await running.call('fixture', 'nil', {}).catch(() => null)
  await page.getByText('21 calls since the start').waitFor()
  await page.locator('.uplot canvas').waitFor()
  await page.getByText('as far as this tab was open').waitFor()
  await page.getByRole('region', { name: 'Slowest tools' }).getByText('calculate-bmi').waitFor()
  await page.getByRole('region', { name: 'Failing tools' }).getByText('TOOL_EXECUTION_ERROR 1').waitFor()
  await axe(page)
  await shot(page, 'dashboard-live')
  await page.getByText('last minute', { exact: true }).first().waitFor()
  await page.reload()
  await page.getByText('last minute', { exact: true }).first().waitFor()
})

test('hooks are listed by what they cost, and servers and tools with their median and p95', async () => {
  const make = (name: string, script: string) => running.api<{ id: string }>('POST', 'api/hooks', { name, hookType: 'pre', script })
  const hooks = [await make('cheap', 'return'), await make('dear', 'await sleep(30)')]
  for (let count = 0; count < 3; count += 1) await running.call('fixture', 'sleep', { ms: 40 })
  const page = await open(running, '#/')
  const card = page.getByRole('region', { name: 'Hooks by cost' })
  await card.getByRole('row', { name: /^dear 3/ }).waitFor()
  expect((await card.getByRole('row').allInnerTexts()).slice(1).map((row) => row.split(/\s/)[0])).toEqual(['dear', 'cheap'])
  const slow = page.getByRole('region', { name: 'Slowest tools' }).getByRole('row', { name: /^sleep/ })
  expect((await slow.innerText()).match(/\d+ ms/g)?.length).toBe(2)
  expect((await page.getByRole('region', { name: 'Servers' }).getByRole('row', { name: /^fixture/ }).innerText()).match(/[\d.]+ ms/g)?.length).toBe(2)
  for (const { id } of hooks) await running.api('DELETE', `api/hooks/${id}`)
})

test('a server is restarted from the dashboard', async () => {
  const page = await open(running, '#/')
  await page.getByRole('button', { name: 'Restart health-server' }).click()
  await expect.poll(async () => (await running.api<{ restarts: number }[]>('GET', 'api/servers'))[0]?.restarts, { timeout: 15_000 }).toBe(1)
  await page.getByRole('row', { name: /health-server Running .* 1/ }).waitFor()
})

test('open sessions move through their steps on the dashboard, and are continued, paused and cancelled there', async () => {
  const page = await open(running, '#/')
  await page.getByRole('region', { name: 'Servers' }).waitFor()
  expect(await page.getByRole('region', { name: 'Open sessions' }).count()).toBe(0)
  await running.api('POST', 'api/workflows/config:deliver/execute', {})
  const row = page.getByRole('region', { name: 'Open sessions' }).getByRole('row', { name: /deliver/ })
  await row.getByText('1 of 3').waitFor()
  const act = async (name: string) => {
    await row.getByRole('button', { name: 'Actions for the session of deliver' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await act('Continue')
  await row.getByText('2 of 3').waitFor()
  await act('Pause')
  await row.getByText('Paused').waitFor()
  await axe(page)
  await shot(page, 'dashboard-work')
  await act('Cancel session')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel session' }).click()
  await row.waitFor({ state: 'detached' })
})

test('runs appear on the dashboard as they end, the slowest marked', async () => {
  const { id } = await store(running, line('Around', [hook('pass', 250, 'return { continue: true }')], { enabled: true }))
  const page = await open(running, '#/')
  for (let count = 0; count < 3; count += 1) await running.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  const runs = page.getByRole('region', { name: 'Latest runs' })
  await expect.poll(() => runs.getByRole('row', { name: /Around/ }).count(), { timeout: 15_000 }).toBe(3)
  await runs.getByRole('link', { name: 'Around' }).first().click()
  await page.getByRole('heading', { name: 'Run of Around' }).waitFor()
  await running.api('POST', `api/workflows/${id}/disable`)
})

test('a long name leaves room for how long a session is open', async () => {
  await running.api('POST', `api/workflows/config:${long}/execute`, {})
  const [asked] = await running.api<{ sessionId: string }[]>('GET', `api/sessions?workflowName=${long}`)
  await running.api('POST', `api/sessions/${asked?.sessionId}/continue`, {})
  const { id } = await store(running, line('Around all that is called by anybody', [hook('pass', 250, 'return { continue: true }')], { enabled: true }))
  await running.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  const page = await open(running, '#/')
  const sessions = page.getByRole('region', { name: 'Open sessions' })
  await sessions.getByText('Waits for approval').waitFor()
  await page.getByRole('region', { name: 'Latest runs' }).getByRole('row').nth(1).waitFor()
  expect(await sessions.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  await shot(page, 'dashboard-long')
  await running.api('POST', `api/workflows/${id}/disable`)
  await running.api('POST', `api/sessions/${asked?.sessionId}/cancel`, {})
})
