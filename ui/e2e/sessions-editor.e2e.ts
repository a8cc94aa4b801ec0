import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axe, eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { hasEdges, on, ready } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  const activities = [
    { name: 'note', run: { script: 'return { data: { got: context.input } }' } },
    { name: 'wait', run: { tool: { server: 'fixture', name: 'sleep' } } },
  ]
  lockgate = await gateway({ servers: [fixture], config: { activities } })
})
afterAll(() => lockgate.stop())

test('a session workflow is run from the editor, and its steps light up on the canvas', async () => {
  const steps = [{ activity: 'note' }, { activity: 'note', condition: 'false' }, { activity: 'wait', input: { ms: 3000 } }]
  const { id } = await lockgate.api<{ id: string }>('POST', 'api/workflows', { name: 'deliver', workflowType: 'session', enabled: true, steps })
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.getByRole('tab', { name: 'Run', exact: true }).click()
  await page.getByText('No sessions yet').waitFor()
  const input = page.getByRole('textbox', { name: 'Start input (JSON)' })
  await input.fill('[1]')
  expect(await page.getByRole('button', { name: 'Start a session' }).isDisabled()).toBe(true)
  await input.fill('{"to": "Ann"}')
  await page.getByRole('button', { name: 'Start a session' }).click()
  const nodes = page.locator('.react-flow__node')
  const state = (at: number) => on(page, `step-${at}`).locator('[data-state]').getAttribute('data-state')
  await on(page, 'step-1').locator('[data-state="completed"]').waitFor()
  expect([await nodes.count(), await state(2), await state(3)]).toEqual([5, 'skipped', 'skipped'])
  await page.getByRole('button', { name: 'Continue' }).click()
  await on(page, 'step-3').locator('[data-state="running"]').waitFor()
  await axe(page)
  await shot(page, 'session-on-canvas')
  await on(page, 'step-3').locator('[data-state="completed"]').waitFor()
  await on(page, 'step-3').getByText(/^3(\.\d)? s$/).waitFor()
  expect(await state(2)).toBe('skipped')
  const [session] = await lockgate.api<{ status: string; memory: Record<string, unknown> }[]>('GET', 'api/sessions?workflowName=deliver')
  expect(session).toMatchObject({ status: 'completed', memory: { __workflow_input__: { to: 'Ann' } } })
  await page.getByRole('link', { name: 'Open the session' }).click()
  await page.getByRole('heading', { name: 'Session of deliver' }).waitFor()
})

test('a session workflow that is not finished is saved, says why, and is not enabled', async () => {
  const { id } = await lockgate.api<{ id: string }>('POST', 'api/workflows', { name: 'half', workflowType: 'session', enabled: false, steps: [{ activity: 'note' }] })
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.locator('.react-flow__edge').first().click({ button: 'right', force: true })
  await page.getByRole('menuitem', { name: 'Remove the connection' }).click()
  await hasEdges(page, 1)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await lockgate.api('GET', `api/workflows/${id}`)).toMatchObject({ valid: false, enabled: false, reason: expect.any(String) as string })
  await page.getByRole('tab', { name: /^Problems/ }).click()
  await page.getByRole('complementary').getByText(/start/i).first().waitFor()
})

test('whoever has no activities yet is led to where they are written', async () => {
  const bare = await gateway()
  onTestFinished(() => bare.stop())
  const page = await open(bare, '#/workflows')
  await page.getByRole('button', { name: 'New workflow' }).first().click()
  await page.getByRole('button', { name: /^Blank/ }).click()
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Sessions' }).click()
  await page.getByRole('link', { name: 'Go to activities' }).click()
  await page.getByRole('heading', { name: 'No activities yet' }).waitFor()
  await eventually('the address says so', async () => page.url().includes('tab=activities'))
})
