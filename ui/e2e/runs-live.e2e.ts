import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, fixture, gateway, type Gateway, hard, open, shot } from './support'
import { hook, line, on, ready, store, type Stored } from './workflow-graphs'

let lockgate: Gateway
let workflow: Stored

beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture, hard] })
  workflow = await store(lockgate, line('Slow one', [hook('look', 250, 'return')], { enabled: true }))
})
afterAll(() => lockgate.stop())

/** A call that waits at the gate until the test opens it. */
function waitingCall(): { over: () => boolean; end: () => Promise<unknown> } {
  let over = false
  const reply = lockgate.call('hard', 'gate', {}).finally(() => (over = true))
  const end = async () => {
    await lockgate.call('hard', 'open', {})
    return reply
  }
  return { over: () => over, end }
}

test('the nodes of the editor light up while a call is under way', async () => {
  const page = await open(lockgate, `#/workflows/${workflow.id}`)
  await ready(page)
  await page.getByRole('tab', { name: 'Run' }).click()
  await page.getByText('No runs yet').or(page.getByText('Latest runs')).first().waitFor()
  await page.locator('[data-link="live"]').waitFor()
  const call = waitingCall()
  await on(page, 'call').locator('[data-state="running"]').waitFor()
  expect(call.over()).toBe(false)
  await on(page, 'look').locator('[data-state="completed"]').waitFor()
  await on(page, 'end').locator('[data-state="skipped"]').waitFor()
  await axe(page)
  await shot(page, 'workflow-running')
  expect(call.over(), 'all of this was seen before the end').toBe(false)
  await call.end()
  await on(page, 'call').locator('[data-state="completed"]').waitFor()
  await on(page, 'end').locator('[data-state="completed"]').waitFor()
})

test('a run that is under way is in the list, and its page follows it to the end', async () => {
  const page = await open(lockgate, '#/runs')
  await page.locator('[data-link="live"]').waitFor()
  const call = waitingCall()
  const row = page.getByRole('listitem').filter({ hasText: 'Running' })
  await row.getByRole('link').click()
  await on(page, 'call').locator('[data-state="running"]').waitFor()
  await page.getByRole('region', { name: 'Timeline' }).getByRole('button', { name: /^call/ }).getByText('Running').waitFor()
  await shot(page, 'run-running')
  expect(call.over()).toBe(false)
  await call.end()
  await on(page, 'end').locator('[data-state="completed"]').waitFor()
  await page.getByRole('main').getByText('Completed', { exact: true }).first().waitFor()
})

test('a call that its client gave up is shown as cancelled', async () => {
  const page = await open(lockgate, '#/runs')
  await page.locator('[data-link="live"]').waitFor()
  const leave = new AbortController()
  const call = fetch(new URL('mcp/call', lockgate.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ server: 'fixture', toolName: 'sleep', input: { ms: 30_000 } }),
    signal: leave.signal,
  }).catch(() => null)
  await page.getByRole('listitem').filter({ hasText: 'Running' }).waitFor()
  leave.abort()
  await call
  await page.getByRole('listitem').filter({ hasText: 'Cancelled' }).waitFor()
})
