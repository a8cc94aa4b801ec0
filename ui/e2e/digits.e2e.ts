import { afterAll, beforeAll, expect, test } from 'vitest'
import { gateway, open, type Gateway } from './support'

const LONG = '9007199254740993'

let lockgate: Gateway
beforeAll(async () => {
  const inputSchema = { type: 'object', required: ['order'], properties: { order: { type: 'integer' } } }
  const activities = [{ name: 'note', inputSchema, run: { script: 'return { data: { ok: true } }' } }]
  const workflows = [{ name: 'orders', steps: [{ activity: 'note' }, { activity: 'note', input: { order: 1 } }] }]
  lockgate = await gateway({ config: { activities, workflows } })
})
afterAll(() => lockgate.stop())

const text = async (path: string) => (await fetch(new URL(path, lockgate.url))).text()

test('a long number that is typed into a form starts a session with all its digits, and is shown with them', async () => {
  const page = await open(lockgate, '#/sessions')
  await page.getByRole('button', { name: 'Start a session' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^order/).fill(LONG)
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await dialog.getByText(LONG).waitFor()
  await dialog.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('heading', { name: 'Session of orders' }).waitFor()
  await page.getByRole('complementary').getByText(LONG).first().waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  expect(await text(`api/sessions/${id}`)).toContain(`"order":${LONG}`)
})

test('a schema of an activity keeps its digits when something else is changed', async () => {
  const page = await open(lockgate, '#/sessions?tab=activities')
  await page.getByRole('button', { name: 'New activity' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name/).fill('limits')
  await dialog.getByRole('tab', { name: 'Schemas' }).click()
  await dialog.getByRole('textbox', { name: 'Input schema' }).fill(`{"type":"object","properties":{"n":{"type":"integer","maximum":${LONG}}}}`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await text('api/activities/limits')).toContain(LONG)
  await page.getByRole('button', { name: 'Edit: limits' }).click()
  await dialog.getByLabel('Description').fill('Has a limit')
  await dialog.getByRole('tab', { name: 'Schemas' }).click()
  await dialog.getByText(LONG).waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const saved = await text('api/activities/limits')
  expect([saved.includes(LONG), saved.includes('Has a limit')]).toEqual([true, true])
})
