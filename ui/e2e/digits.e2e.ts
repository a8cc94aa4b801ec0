import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, gateway, open, type Gateway } from './support'

const LONG = '9007199254740993'

let lockgate: Gateway
beforeAll(async () => {
  const inputSchema = { type: 'object', required: ['order'], properties: { order: { type: 'integer' }, ratio: { type: 'number' }, note: { type: 'string' } } }
  const activities = [{ name: 'note', inputSchema, run: { script: 'return { data: { ok: true } }' } }]
  const workflows = [{ name: 'orders', steps: [{ activity: 'note' }, { activity: 'note', input: { order: 1 } }] }]
  lockgate = await gateway({ config: { activities, workflows } })
})
afterAll(() => lockgate.stop())

const text = async (path: string) => (await fetch(new URL(path, lockgate.url))).text()

/** The form that starts a session, with an order. */
async function form(page: Page) {
  await page.getByRole('button', { name: 'Start a session' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^order/).pressSequentially('1')
  return { ratio: dialog.getByLabel(/^ratio/), start: dialog.getByRole('button', { name: 'Start', exact: true }), dialog }
}

test.each(['1.05', '0.001', '100.01', '-0.5', '1e40', '1.50'])('%s starts a session with just that, typed key by key', async (typed) => {
  const page = await open(lockgate, '#/sessions')
  const { ratio, start } = await form(page)
  await ratio.pressSequentially(typed)
  expect(await ratio.inputValue()).toBe(typed)
  await start.click()
  await page.getByRole('heading', { name: 'Session of orders' }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  expect(JSON.parse(await text(`api/sessions/${id}`))).toMatchObject({ memory: { __workflow_input__: { order: 1, ratio: Number(typed) } } })
})

test.each(['１２', '−1．5', '.5', '05', '+5', '7.'])('%s starts a session as it is meant, and stands as it is typed until one leaves the field', async (typed) => {
  const meant = { '１２': 12, '−1．5': -1.5, '.5': 0.5, '05': 5, '+5': 5, '7.': 7 }[typed]
  const page = await open(lockgate, '#/sessions', { language: 'ja' })
  await page.getByRole('button', { name: 'セッションを開始' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^order/).pressSequentially('1')
  const ratio = dialog.getByLabel(/^ratio/)
  await ratio.pressSequentially(typed)
  expect(await ratio.inputValue()).toBe(typed)
  await dialog.getByLabel(/^order/).focus()
  expect(await ratio.inputValue()).toBe(String(meant))
  await dialog.getByRole('button', { name: '開始', exact: true }).click()
  await page.waitForURL(/#\/sessions\/./)
  const id = page.url().split('/').at(-1) ?? ''
  expect(JSON.parse(await text(`api/sessions/${id}`))).toMatchObject({ memory: { __workflow_input__: { order: 1, ratio: meant } } })
})

test('what is no number is said to be none, and starts nothing', async () => {
  const page = await open(lockgate, '#/sessions')
  const { ratio, start, dialog } = await form(page)
  for (const typed of ['5e', '1-2', '0x10', '-', 'true']) {
    await ratio.fill('')
    await ratio.pressSequentially(typed)
    await dialog.getByText('This is not a number.').waitFor()
    expect([await ratio.inputValue(), await ratio.getAttribute('aria-invalid'), await start.isDisabled()]).toEqual([typed, 'true', true])
  }
  await axe(page)
  // In the JSON it is a value that can be sent, and stays one.
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await dialog.getByText('"ratio": true').waitFor()
  expect(await start.isEnabled()).toBe(true)
  await dialog.getByRole('tab', { name: 'Form' }).click()
  expect(await ratio.inputValue()).toBe('true')
  await dialog.getByText('This is not a number.').waitFor()
  await ratio.fill('')
  expect(await start.isEnabled()).toBe(true)
})

test('a text that is no text is shown in the form as the JSON has it, and said to be none', async () => {
  const page = await open(lockgate, '#/sessions')
  const { dialog } = await form(page)
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await dialog.getByRole('textbox', { name: 'Input' }).fill('{"order":1,"note":{"a":1}}')
  await dialog.getByRole('tab', { name: 'Form' }).click()
  await dialog.getByText('This is not a text.').waitFor()
  expect(await dialog.getByLabel(/^note/).inputValue()).toBe('{"a":1}')
})

test('a limit that is no number, or none that can be, is not saved', async () => {
  const page = await open(lockgate, '#/sessions?tab=activities', { allow: /400/ })
  await page.getByRole('button', { name: 'New activity' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name/).fill('limited')
  await dialog.getByRole('tab', { name: 'Limits' }).click()
  const timeout = dialog.getByLabel(/^Timeout/)
  await timeout.pressSequentially('1-2')
  await dialog.getByText('This is not a number.').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('Timeout').waitFor()
  await timeout.fill('')
  await timeout.pressSequentially('1e400')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('timeout must be').waitFor()
  await timeout.fill('')
  await timeout.pressSequentially('1500')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await eventually('it is saved', async () => (await text('api/activities/limited')).includes('"timeout":1500'))
})

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
