import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { axe, eventually, gateway, type Gateway, open, shot } from './support'

interface Schedule {
  id: string
  workflowName: string
  input: object
  at?: number
  everyMs?: number
  cron?: string
  timeZone?: string
  paused: boolean
  missed: string
  overlap: boolean
  next: number[]
  lastSession?: { sessionId: string }
}

let lockgate: Gateway

beforeAll(async () => {
  lockgate = await gateway()
})
afterEach(() => clear())
afterAll(() => lockgate.stop())

const all = () => lockgate.api<Schedule[]>('GET', 'api/schedules')
const only = async () => (await all())[0]
const card = (page: Page, name: string): Locator => page.getByRole('article', { name })

async function workflow(name: string): Promise<string> {
  const inputSchema = { type: 'object', required: ['region'], properties: { region: { type: 'string' }, order: { type: 'integer' } } }
  await lockgate.api('POST', 'api/activities', { name: `${name}-step`, inputSchema, run: { script: 'return { data: { seen: context.input.region } }' } })
  const body = { name, workflowType: 'session', enabled: true, steps: [{ activity: `${name}-step` }] }
  return (await lockgate.api<{ id: string }>('POST', 'api/workflows', body)).id
}

async function clear(): Promise<void> {
  for (const { id } of await all()) await lockgate.api('DELETE', `api/schedules/${id}`)
}

async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

test('without a session workflow the page leads to the workflows', async () => {
  const page = await open(lockgate, '#/schedules')
  await page.getByRole('heading', { name: 'No schedules yet' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Open the workflows' }).press('Enter')
  await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
})

test('a schedule is made by cron with a time zone, changed, paused, resumed and deleted', async () => {
  await workflow('nightly')
  const page = await open(lockgate, '#/schedules')
  await page.getByRole('button', { name: 'New schedule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Cron expression').fill('30 2 * * mon-fri')
  await dialog.getByLabel('Time zone').fill('Europe/Berlin')
  await choose(page, 'Times missed while the gateway was down', 'Make up for them with one start')
  // An example is shown, and not saved.
  await dialog.getByText('For example: {"region":"text"}').waitFor()
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Start input' }).fill('{"region": "text"}')
  await axe(page)
  await shot(page, 'schedule-new')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const made = await only()
  expect(made).toMatchObject({ workflowName: 'nightly', input: { region: 'text' }, cron: '30 2 * * mon-fri', timeZone: 'Europe/Berlin', missed: 'once', overlap: false, paused: false })
  expect(made?.next).toHaveLength(5)
  const shown = card(page, 'nightly')
  await shown.getByRole('time').nth(4).waitFor()
  expect(await shown.getByRole('time').count()).toBe(5)
  expect(await shown.getByRole('time').first().getAttribute('datetime')).toBe(new Date(made?.next[0] ?? 0).toISOString())
  await shown.getByText('Makes up for missed times').waitFor()

  await shown.getByRole('button', { name: 'Edit: nightly' }).click()
  await dialog.getByRole('button', { name: 'At an interval' }).click()
  await dialog.getByLabel('Every', { exact: true }).fill('15')
  await choose(page, 'Unit', 'minutes')
  await dialog.getByRole('switch', { name: /Start even if/ }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await shown.getByText('Every 15 minutes').waitFor()
  const changed = await only()
  expect(changed).toMatchObject({ everyMs: 900_000, overlap: true, missed: 'once' })
  expect([changed?.cron, changed?.timeZone]).toEqual([undefined, undefined])

  await shown.getByRole('button', { name: 'Pause: nightly' }).click()
  await shown.getByText('No times while it is paused').waitFor()
  expect(await only()).toMatchObject({ paused: true, next: [] })
  await shown.getByRole('button', { name: 'Resume: nightly' }).click()
  await shown.getByRole('time').first().waitFor()
  expect(await only()).toMatchObject({ paused: false, everyMs: 900_000 })

  await shown.getByRole('button', { name: 'Delete: nightly' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No schedules yet' }).waitFor()
  expect(await all()).toEqual([])
})

test('the keyboard passes by the input of a schedule, and leaves it as it is', async () => {
  await workflow('passed')
  const page = await open(lockgate, '#/schedules')
  await page.getByRole('button', { name: 'New schedule' }).click()
  const input = page.getByRole('dialog').getByRole('textbox', { name: 'Start input' })
  await input.focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.closest('.cm-editor') ?? null)).toBeNull()
  expect(await input.textContent()).toBe('{}')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a moment is given in the time of the browser, and a number of the input keeps its digits', async () => {
  await workflow('moment')
  const page = await open(lockgate, '#/schedules')
  await page.getByRole('button', { name: 'New schedule' }).first().click()
  const dialog = page.getByRole('dialog')
  await choose(page, 'Session workflow', 'moment')
  await dialog.getByRole('button', { name: 'Once' }).click()
  await dialog.getByLabel('Date and time').fill('2031-12-24T18:00:00')
  await dialog.getByRole('textbox', { name: 'Start input' }).fill('{"region": "eu", "order": 9007199254740993}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const wanted = await page.evaluate(() => new Date('2031-12-24T18:00:00').getTime())
  expect((await only())?.at).toBe(wanted)
  const text = await (await fetch(new URL('api/schedules', lockgate.url))).text()
  expect(text).toContain('"order":9007199254740993')
  // The editor shows the digits that came back, and a save that changes something else leaves them as they are.
  await card(page, 'moment').getByRole('button', { name: 'Edit: moment' }).click()
  await page.getByRole('dialog').getByText('9007199254740993').waitFor()
  await choose(page, 'Times missed while the gateway was down', 'Make up for them with one start')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await only()).toMatchObject({ at: wanted, missed: 'once' })
  expect(await (await fetch(new URL('api/schedules', lockgate.url))).text()).toContain('"order":9007199254740993')
})

test('what cannot be a schedule is refused with the reason, and nothing typed is lost', async () => {
  await workflow('wrong')
  const page = await open(lockgate, '#/schedules', { allow: /400/ })
  await page.getByRole('button', { name: 'New schedule' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Start input' }).fill('{"region": "eu"}')
  await dialog.getByLabel('Cron expression').fill('61 * * * *')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByLabel('Cron expression').inputValue()).toBe('61 * * * *')
  expect(await all()).toEqual([])
})

test('a schedule that fires shows its session at once, and leads to all that it started', async () => {
  const id = await workflow('ticking')
  await lockgate.api('POST', 'api/schedules', { workflowName: 'ticking', everyMs: 1000, input: { region: 'eu' } })
  const page = await open(lockgate, '#/schedules')
  const shown = card(page, 'ticking')
  await shown.getByText('Every second').waitFor()
  await shown.getByText('Completed').waitFor()
  const schedule = await only()
  await shown.getByRole('link', { name: /^Sessions started by/ }).click()
  await page.getByText(`Client: schedule:${schedule?.id}`).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'ticking' }).first().click()
  await page.getByRole('heading', { name: 'Session of ticking' }).waitFor()
  await page.getByRole('complementary').getByRole('link', { name: schedule?.id.slice(0, 8) ?? '' }).click()
  // A workflow that is switched off starts nothing, and the page says why.
  await lockgate.api('POST', `api/workflows/${id}/disable`)
  await shown.getByText('Starts nothing').waitFor()
  await clear()
  await eventually('the list is empty', async () => (await page.getByRole('article').count()) === 0)
})

const looks = [
  { language: 'en', theme: 'light', size: { width: 1280, height: 800 } },
  { language: 'en', theme: 'dark', size: { width: 390, height: 844 } },
  { language: 'ja', theme: 'light', size: { width: 390, height: 844 } },
  { language: 'ja', theme: 'dark', size: { width: 1280, height: 800 } },
] as const

test.each(looks)('schedules are accessible in $language, $theme, $size.width wide', async (look) => {
  const id = await workflow(`report-${look.language}-${look.theme}`)
  const workflowName = `report-${look.language}-${look.theme}`
  const make = (more: object) => lockgate.api('POST', 'api/schedules', { workflowName, ...more })
  await make({ cron: '30 2 * * mon-fri', timeZone: 'Europe/Berlin', missed: 'once' })
  await make({ everyMs: 900_000, paused: true, overlap: true })
  await make({ at: Date.UTC(2031, 11, 24, 18) })
  await make({ everyMs: 1000 })
  await eventually('one has fired', async () => (await all()).some((one) => one.lastSession))
  await lockgate.api('POST', `api/workflows/${id}/disable`)
  const page = await open(lockgate, '#/schedules', look)
  await page.getByRole('article').nth(3).waitFor()
  await axe(page)
  await shot(page, `schedules-${look.language}-${look.theme}-${look.size.width}`)
  const { scrollWidth, clientWidth } = await page.getByRole('main').evaluate((main) => ({ scrollWidth: main.scrollWidth, clientWidth: main.clientWidth }))
  expect(scrollWidth).toBe(clientWidth)
  await page.getByRole('button', { name: /^(Edit|編集):/ }).first().click()
  await page.getByRole('dialog').locator('.cm-content').waitFor()
  await axe(page)
  await shot(page, `schedule-edit-${look.language}-${look.theme}-${look.size.width}`)
})
