// Several people at one browser: whose sign-in ends, what is kept for whom, and what a role leaves to look at.
import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, eventually, gateway, type Gateway, open, profile, shot } from './support'
import { hook, line, on, ready, store } from './workflow-graphs'

const secrets = { viewer: 'v'.repeat(40), editor: 'e'.repeat(40), operator: 'o'.repeat(40) }
const keys = Object.entries(secrets).map(([role, secret]) => ({
  name: `the-${role}`,
  key: `sha256:${createHash('sha256').update(secret).digest('hex')}`,
  role,
}))
const config = { keys, activities: [{ name: 'note', run: { script: 'return {}' } }], workflows: [{ name: 'filed', steps: [{ activity: 'note' }, { activity: 'note' }] }] }

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [demo], config, key: secrets.operator })
})
afterAll(() => lockgate.stop())

// A browser names every refusal in its console.
const allow = /40[13]/
const bmi = '#/tools?server=health-server&tool=calculate-bmi'

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor({ state: 'detached' })
}

async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(name) }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
}

const asked = (page: Page) => page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
const name = (page: Page) => page.getByLabel('Name of the workflow')
const offer = (page: Page) => page.getByText('There is a draft that was not saved')

test.each(['Save', 'Active'])('when the sign-in has ended, %s in the editor asks for a key, and what was typed is still there', async (button) => {
  const { id } = await store(lockgate, line(`Ended at ${button}`, [hook('h', 250, 'return')]))
  const context = await profile()
  const page = await open(lockgate, `#/workflows/${id}`, { context, allow })
  await signIn(page, secrets.editor)
  await ready(page)
  await name(page).fill('Typed before the end')
  const sight = () => page.locator('.react-flow__viewport').evaluate((element) => (element as HTMLElement).style.transform)
  await page.locator('.react-flow__pane').hover({ position: { x: 40, y: 40 } })
  const placed = await sight()
  await page.mouse.wheel(0, 300)
  await expect.poll(sight).not.toBe(placed)
  // The wheel goes on for a moment.
  await page.waitForTimeout(300)
  const before = await sight()
  await context.clearCookies()
  await (button === 'Save' ? page.getByRole('button', { name: 'Save', exact: true }) : page.getByRole('switch', { name: 'Active' })).click()
  await asked(page)
  await signIn(page, secrets.editor)
  await ready(page)
  expect([await name(page).inputValue(), await offer(page).count()]).toEqual(['Typed before the end', 0])
  await expect.poll(sight).toBe(before)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually('it is saved', async () => (await lockgate.api<{ name: string }>('GET', `api/workflows/${id}`)).name === 'Typed before the end')
})

test('when the sign-in has ended, a new workflow and a call of the playground ask for a key, and what was typed is still there', async () => {
  const context = await profile()
  const page = await open(lockgate, '#/workflows', { context, allow })
  await signIn(page, secrets.editor)
  await page.getByRole('button', { name: 'New workflow' }).click()
  await page.getByRole('button', { name: /^Blank/ }).click()
  await page.getByRole('textbox', { name: /^Name/ }).fill('Made at last')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await asked(page)
  // Nothing of the page is shown meanwhile, its windows included: they are there, and out of sight.
  const typed = page.getByLabel(/^Name/)
  expect([await page.getByRole('dialog').count(), await typed.count(), await typed.isVisible(), await page.getByRole('navigation').count()]).toEqual([0, 1, false, 0])
  await axe(page)
  await signIn(page, secrets.editor)
  expect(await page.getByRole('textbox', { name: /^Name/ }).inputValue()).toBe('Made at last')
  await axe(page)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await ready(page)
  expect(await name(page).inputValue()).toBe('Made at last')
  await page.goto(new URL(bmi, lockgate.url).href)
  await page.getByLabel(/^weight_kg/).fill('70')
  await page.getByLabel(/^height_m/).fill('1.75')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await asked(page)
  await signIn(page, secrets.editor)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('22.857').first().waitFor()
})

test('when the sign-in has ended, what was typed to run a workflow with is still there', async () => {
  const { id } = await store(lockgate, line('Run later', [hook('h', 250, 'return')], { enabled: true }))
  const context = await profile()
  const page = await open(lockgate, `#/workflows/${id}`, { context, allow })
  await signIn(page, secrets.editor)
  await ready(page)
  await page.getByRole('tab', { name: 'Run' }).click()
  await page.getByRole('combobox', { name: 'Tool' }).click()
  await page.getByRole('option', { name: 'health-server / calculate-bmi' }).click()
  await page.getByRole('textbox', { name: 'Arguments (JSON)' }).fill('{"weight_kg": 70, "height_m": 1.75}')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Run now' }).click()
  await asked(page)
  await signIn(page, secrets.editor)
  expect(await page.getByRole('textbox', { name: 'Arguments (JSON)' }).inputValue()).toBe('{"weight_kg": 70, "height_m": 1.75}')
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('region', { name: 'Latest runs' }).getByRole('button', { name: /calculate-bmi/ }).waitFor()
})

test('what one person tried and left unsaved is not shown to the next, and comes back to the first', async () => {
  const { id } = await store(lockgate, line('Passed on', [hook('h', 250, 'return')]))
  const page = await open(lockgate, bmi, { allow })
  page.on('dialog', (dialog) => void dialog.accept())
  await signIn(page, secrets.editor)
  await page.getByLabel(/^weight_kg/).fill('71')
  await page.getByLabel(/^height_m/).fill('1.75')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('23.18').first().waitFor()
  await page.goto(new URL('#/hooks', lockgate.url).href)
  await page.getByRole('button', { name: 'New hook' }).first().click()
  await page.getByRole('menuitem', { name: 'Empty script' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('half a hook')
  await page.goto(new URL(`#/workflows/${id}`, lockgate.url).href)
  await ready(page)
  await name(page).fill('Half a workflow')
  const kept = (text: string) => page.evaluate((text) => Object.values({ ...localStorage }).filter((value) => String(value).includes(text)).length, text)
  await eventually('it is kept', async () => (await kept('Half a workflow')) === 1)
  await signOut(page, 'the-editor')

  await signIn(page, secrets.operator)
  await ready(page)
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await offer(page).count()).toBe(0)
  await page.goto(new URL('#/hooks', lockgate.url).href)
  await page.getByText('No hooks yet').waitFor()
  await page.goto(new URL(bmi, lockgate.url).href)
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  expect(await page.getByText('23.18').count()).toBe(0)
  await page.getByRole('tab', { name: /History/ }).click()
  await page.getByText('No calls yet').waitFor()
  await signOut(page, 'the-operator')

  await signIn(page, secrets.editor)
  await page.getByRole('tab', { name: /History/ }).click()
  await page.getByText('71').first().waitFor()
  await page.goto(new URL('#/hooks?id=new-1', lockgate.url).href)
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('half a hook')
  await page.goto(new URL(`#/workflows/${id}`, lockgate.url).href)
  await offer(page).waitFor()
})

test('a tab in which another person signs in shows nothing of the one before', async () => {
  const { id } = await store(lockgate, line('In one tab', [hook('h', 250, 'return')]))
  const context = await profile()
  const page = await open(lockgate, `#/workflows/${id}`, { context, allow })
  await signIn(page, secrets.editor)
  await ready(page)
  await name(page).fill('Not for others')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await asked(page)
  await signIn(page, secrets.operator)
  await page.getByRole('button', { name: /the-operator/ }).waitFor()
  await ready(page)
  expect([await name(page).inputValue(), await offer(page).count()]).toEqual(['In one tab', 0])
})

test('a key that was just made goes out of sight when its maker signs out, and the next person does not find it', async () => {
  const context = await profile()
  const page = await open(lockgate, '#/settings', { context, allow })
  await signIn(page, secrets.operator)
  const other = await open(lockgate, '#/hooks', { context, allow })
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name/).fill('guest')
  await dialog.getByRole('button', { name: 'New key' }).click()
  const made = page.locator('[data-key="guest"]')
  await made.waitFor()
  await signOut(other, 'the-operator')
  // As a browser does when somebody comes back to the tab.
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await asked(page)
  expect(await made.isVisible()).toBe(false)
  await signIn(page, secrets.viewer)
  await page.getByRole('button', { name: /the-viewer/ }).waitFor()
  expect(await made.count()).toBe(0)
})

test('a draft is offered to whoever may still change the workflow', async () => {
  const { id } = await store(lockgate, line('Role taken away', [hook('h', 250, 'return')]))
  const make = (role: string) => lockgate.api<{ key: string }>('POST', 'api/keys', { name: 'ann', role })
  const context = await profile()
  const page = await open(lockgate, `#/workflows/${id}`, { context, allow })
  await signIn(page, (await make('editor')).key)
  await ready(page)
  await name(page).fill('Begun as an editor')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await asked(page)
  await lockgate.api('DELETE', 'api/keys/ann')
  await signIn(page, (await make('viewer')).key)
  await page.getByText('Your role permits looking at this workflow').waitFor()
  expect(await offer(page).count()).toBe(0)
  await lockgate.api('DELETE', 'api/keys/ann')
})

/** What a menu of the canvas offers, with what each entry that rests says. */
const entries = (page: Page) => page.getByRole('menuitem').evaluateAll((items) => items.map((item) => [item.querySelector('span')?.textContent, item.getAttribute('title')]))

test('a viewer finds everything that changes a workflow greyed out, with the role that it takes', async () => {
  const { id } = await store(lockgate, line('Looked at', [hook('look', 250, 'return')]))
  await lockgate.api('PATCH', `api/workflows/${id}`, { name: 'Looked at again' })
  const page = await open(lockgate, `#/workflows/${id}`, { allow })
  await signIn(page, secrets.viewer)
  await ready(page)
  await axe(page)
  const needs = 'This needs the role editor. Please ask whoever runs this gateway.'
  await on(page, 'look').click({ button: 'right' })
  await page.getByRole('menu').waitFor()
  expect(await entries(page)).toEqual([['Add a node', needs], ['Connect to…', needs], ['Copy', null], ['Cut', needs], ['Duplicate', needs], ['Delete', needs]])
  await shot(page, 'viewer-menu')
  await page.keyboard.press('Escape')
  await page.locator('.react-flow__pane').click({ button: 'right', position: { x: 20, y: 20 } })
  await page.getByRole('menu').waitFor()
  expect((await entries(page)).filter(([, title]) => title === needs).map(([label]) => label)).toEqual(['Add a node', 'Paste', 'Tidy up'])
  await page.keyboard.press('Escape')
  const told = page.getByRole('listitem').filter({ hasText: needs })
  await page.getByRole('button', { name: 'Insert a node here' }).first().click({ force: true })
  await expect.poll(() => told.count()).toBe(1)
  await page.keyboard.press('n')
  await expect.poll(() => told.count()).toBe(2)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Versions' }).click()
  const load = page.getByRole('button', { name: 'Load into the editor' })
  await load.waitFor()
  expect([await load.getAttribute('aria-disabled'), await load.getAttribute('title')]).toEqual(['true', needs])
  await shot(page, 'viewer-versions')
})

test('a workflow of the config file says so wherever it cannot be changed', async () => {
  const page = await open(lockgate, '#/workflows/config:filed', { allow, language: 'en' })
  await signIn(page, secrets.operator)
  await ready(page)
  const fixed = 'This workflow comes from the config file. It can be looked at here, and changed there.'
  await page.locator('.react-flow__node').nth(1).click({ button: 'right' })
  await page.getByRole('menu').waitFor()
  expect((await entries(page)).filter(([, title]) => title !== fixed).map(([label]) => label)).toEqual(['Copy'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await page.getByRole('listitem').filter({ hasText: fixed }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})
