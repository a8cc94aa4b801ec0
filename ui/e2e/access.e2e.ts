import { exec } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, eventually, gateway, hard, open, profile, shot, type Gateway } from './support'
import { hook, line, on, ready, store } from './workflow-graphs'

const secrets = { viewer: 'v'.repeat(40), editor: 'e'.repeat(40), operator: 'o'.repeat(40), none: 'n'.repeat(40) }
const keys = Object.entries(secrets).map(([role, secret]) => ({
  name: `the-${role}`,
  key: `sha256:${createHash('sha256').update(secret).digest('hex')}`,
  role,
}))

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [demo, hard], config: { keys, audit: { calls: true } }, key: secrets.operator })
  await lockgate.api('POST', 'api/hooks', { name: 'watch', hookType: 'pre', enabled: true, script: 'return { action: "continue" }' })
})
afterAll(() => lockgate.stop())

// A browser names every refusal in its console.
const allow = /40[13]|429/

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('nothing is shown before a key is given, and a wrong one is refused kindly', async () => {
  const page = await open(lockgate, '#/hooks', { allow })
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  await signIn(page, 'x'.repeat(40))
  await page.getByText('This key is not known here').waitFor()
  await axe(page)
  await signIn(page, secrets.editor)
  await page.locator('[data-hook="watch"]').waitFor()
  await page.locator('[data-link="live"]').waitFor()
  // The key is nowhere in the browser, and its cookie is out of reach of scripts.
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href]))
  expect(kept).not.toContain(secrets.editor)
  expect(kept).not.toContain('lockgate_session')
  await page.reload()
  await page.locator('[data-hook="watch"]').waitFor()
})

test('an editor changes hooks, but no servers, and reads no audit log', async () => {
  const page = await open(lockgate, '#/hooks', { allow })
  await signIn(page, secrets.editor)
  await page.getByRole('switch', { name: /watch/ }).click()
  await eventually('the hook is off', async () => (await lockgate.api<{ enabled: boolean }[]>('GET', 'api/hooks'))[0]?.enabled === false)
  await page.goto(new URL('#/servers', lockgate.url).href)
  const restart = page.locator('[data-server]').first().getByRole('button', { name: 'Restart' })
  await restart.waitFor()
  expect(await restart.isDisabled()).toBe(true)
  expect(await restart.getAttribute('title')).toContain('operator')
  // By keyboard too it says why.
  await restart.focus()
  await page.keyboard.press('Enter')
  await page.locator('li').getByText(/role operator/).waitFor()
  expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
})

test('a viewer looks at every page and changes nothing', async () => {
  const page = await open(lockgate, '#/hooks', { allow: /401/ })
  await signIn(page, secrets.viewer)
  await page.locator('[data-hook="watch"]').waitFor()
  await page.getByRole('button', { name: /the-viewer/ }).waitFor()
  expect(await page.getByRole('switch', { name: /watch/ }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'New hook' }).isDisabled()).toBe(true)
  for (const path of ['/', '/servers', '/tools', '/requests', '/hooks', '/workflows', '/runs', '/sessions', '/schedules', '/settings']) {
    await page.goto(new URL(`#${path}`, lockgate.url).href)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('status').filter({ hasText: 'Loading' }).count(), { timeout: 15_000 }).toBe(0)
    await axe(page)
  }
  await shot(page, 'viewer-settings')
})

test('a viewer looks at a workflow and cannot change it', async () => {
  const { id } = await store(lockgate, line('Looked at', [hook('look', 250, 'return // as it was')]))
  const page = await open(lockgate, `#/workflows/${id}`, { allow: /401/ })
  await signIn(page, secrets.viewer)
  await ready(page)
  await page.getByText('Your role permits looking at this workflow').waitFor()
  expect(await page.getByRole('button', { name: 'Add: Hook' }).isDisabled()).toBe(true)
  expect(await page.getByLabel('Name of the workflow').getAttribute('readonly')).not.toBeNull()
  expect(await page.getByRole('textbox', { name: 'Description' }).isDisabled()).toBe(true)
  await on(page, 'look').click()
  await page.locator('.cm-content[aria-readonly="true"]').first().waitFor()
  await page.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } })
  await on(page, 'look').click()
  await page.keyboard.press('Delete')
  await page.keyboard.press('Control+d')
  await page.keyboard.press('Control+s')
  expect(await page.locator('.react-flow__node').count()).toBe(4)
  await page.getByText('Saved', { exact: true }).waitFor()
  await axe(page)
})

test('somebody who is signed in calls tools in the playground', async () => {
  const page = await open(lockgate, '#/tools?server=health-server&tool=calculate-bmi', { allow: /401/ })
  await signIn(page, secrets.viewer)
  await page.getByLabel(/^weight_kg/).fill('70')
  await page.getByLabel(/^height_m/).fill('1.75')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('22.857').first().waitFor()
  // The command for a terminal takes the key from the environment, and works with it.
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('It takes your key from the variable LOCKGATE_KEY.').first().waitFor()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(command).not.toContain(secrets.viewer)
  const { stdout } = await promisify(exec)(command, { env: { ...process.env, LOCKGATE_KEY: secrets.viewer } })
  expect(stdout).toContain('22.857')
})

test('what clients are to copy says where the key goes', async () => {
  const page = await open(lockgate, '#/start', { allow: /401/ })
  await signIn(page, secrets.operator)
  await page.getByText('This gateway needs a key. Put one in the place of YOUR_KEY.').waitFor()
  for (const name of ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'curl']) {
    await page.getByRole('tab', { name, exact: true }).click()
    await page.getByRole('tabpanel').getByRole('button', { name: 'Copy' }).click()
    const text = await page.evaluate(() => navigator.clipboard.readText())
    expect(text, name).toContain('Authorization')
    expect(text, name).not.toContain(secrets.operator)
  }
  await axe(page)
  await page.getByRole('link', { name: 'Make a key' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
})

test('somebody who is signed in sees progress and answers what a tool asks', async () => {
  const page = await open(lockgate, '#/tools?server=hard&tool=slow', { allow: /401/ })
  await signIn(page, secrets.viewer)
  await page.locator('[data-field="/steps"]').getByRole('textbox').fill('100000')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText(/^step \d+$/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The server was told to stop.').waitFor()
  await page.goto(new URL('#/tools?server=hard&tool=ask', lockgate.url).href)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const asking = page.getByRole('group', { name: 'Questions of the server' })
  await asking.locator('[data-field="/name"] textarea').fill('Ada')
  await asking.getByRole('button', { name: 'Send answer' }).click()
  await page.getByText('accept {"name":"Ada"}').waitFor()
})

test('signing out in one tab asks for a key again, in all of them', async () => {
  const context = await profile()
  const one = await open(lockgate, '#/servers', { context, allow })
  await signIn(one, secrets.viewer)
  await one.locator('[data-server]').first().waitFor()
  const two = await open(lockgate, '#/hooks', { context, allow })
  await two.locator('[data-hook="watch"]').waitFor()
  await one.getByRole('button', { name: /the-viewer/ }).click()
  await one.getByRole('menuitem', { name: 'Sign out' }).click()
  await one.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  await two.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
})

test('a key without a role calls tools and has no business here', async () => {
  const page = await open(lockgate, '#/', { allow })
  await signIn(page, secrets.none)
  await page.getByText('has no role for this page').waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
})

test('an operator reads the audit log, filters it and brings it home', async () => {
  await lockgate.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  const page = await open(lockgate, '#/audit', { allow })
  await signIn(page, secrets.operator)
  const rows = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
  await rows.filter({ hasText: 'health-server/calculate-bmi' }).first().waitFor()
  await rows.filter({ hasText: '/api/hooks' }).first().waitFor()
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Call' }).click()
  await expect.poll(() => rows.filter({ hasText: '/api/hooks' }).count(), { timeout: 15_000 }).toBe(0)
  await page.getByLabel('Who').fill('nobody')
  await page.getByText('No entry matches these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await rows.filter({ hasText: 'health-server/calculate-bmi' }).first().click()
  await page.getByRole('dialog').getByText('sha256:').waitFor()
  await axe(page)
  await shot(page, 'audit-entry')
  await page.keyboard.press('Escape')
  await shot(page, 'audit')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  expect((await download).suggestedFilename()).toBe('audit.ndjson')
})

test('the first key is made in the settings, shown once, and needed from then on; revoking it opens the gateway again', async () => {
  const other = await gateway()
  try {
    // With the first key the stream of events is cut too: it belonged to nobody.
    const page = await open(other, '#/hooks', { allow: /40[13]|ERR_INCOMPLETE_CHUNKED_ENCODING/ })
    await page.getByRole('button', { name: 'New hook' }).first().click()
    await page.getByRole('menuitem', { name: 'Empty script' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('half a hook')
    await page.goto(new URL('#/settings', other.url).href)
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Keys' }) })
    await card.getByText('There are no keys').waitFor()
    await card.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This is the first key').waitFor()
    await dialog.getByLabel(/^Name/).fill('me')
    await axe(page)
    await shot(page, 'key-new')
    await dialog.getByRole('button', { name: 'New key' }).click()
    const secret = (await dialog.locator('[data-key="me"]').textContent()) ?? ''
    expect(secret.length).toBeGreaterThanOrEqual(32)
    // From now on everything is refused; what is read again meanwhile does not take the key away.
    const refused = page.waitForResponse((reply) => reply.url().endsWith('/api/session') && reply.status() === 401)
    await page.evaluate(() => new BroadcastChannel(`lockgate-events ${document.baseURI.replace(/#.*/, '')}`).postMessage({ kind: 'event', event: { name: 'lost', data: {} } }))
    await refused
    await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done))))
    expect([await dialog.locator('[data-key="me"]').textContent(), await page.getByRole('heading', { name: 'Sign in' }).count()]).toEqual([secret, 0])
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await signIn(page, secret)
    await card.getByRole('button', { name: 'Revoke: me' }).waitFor()
    // What was begun while nobody needed a key is theirs who has the first.
    await page.goto(new URL('#/hooks?id=new-1', other.url).href)
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('half a hook')
    await page.goto(new URL('#/settings', other.url).href)
    await card.getByRole('button', { name: 'Revoke: me' }).click()
    await axe(page)
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await card.getByText('There are no keys').waitFor()
  } finally {
    await other.stop()
  }
})

const looks = [
  { language: 'en', theme: 'dark', size: { width: 1280, height: 800 } },
  { language: 'ja', theme: 'light', size: { width: 390, height: 844 } },
] as const

test.each(looks)('sign-in, keys and audit log are accessible in $language, $theme, $size.width wide', async (look) => {
  const page = await open(lockgate, '#/audit', { ...look, allow })
  await page.getByLabel(/^(Key|キー)$/).waitFor()
  await axe(page)
  await shot(page, `sign-in-${look.language}-${look.size.width}`)
  await page.getByLabel(/^(Key|キー)$/).fill(secrets.operator)
  await page.keyboard.press('Enter')
  await page.getByRole('main').getByRole('listitem').first().waitFor()
  await axe(page)
  await shot(page, `audit-${look.language}-${look.size.width}`)
  await page.goto(new URL('#/settings', lockgate.url).href)
  await page.getByRole('cell', { name: 'the-viewer', exact: true }).waitFor()
  await axe(page)
  await shot(page, `keys-${look.language}-${look.size.width}`)
})
