import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, gateway, open, shot, type Gateway } from './support'
import { hook, line, store } from './workflow-graphs'

let running: Gateway

beforeAll(async () => {
  const secret = { ...demo, env: { API_TOKEN: 'never-shown-1', PLAIN: 'never-shown-2' } }
  running = await gateway({ servers: [secret], config: { captures: { keep: 7 } } })
})
afterAll(() => running.stop())

test('every value says where it comes from, and secrets are masked', async () => {
  const page = await open(running, '#/settings')
  await page.getByRole('row', { name: /^captures\.keep 7 config file/ }).waitFor()
  await page.getByRole('row', { name: /^runs\.keep 10000 default/ }).waitFor()
  await page.getByRole('row', { name: /^port .* command line --port/ }).waitFor()
  await page.getByRole('row', { name: /^log\.level error environment LOG_LEVEL/ }).waitFor()
  await page.getByRole('switch', { name: 'Only what was set' }).click()
  await page.getByRole('row', { name: /^runs\.keep/ }).waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'Filter settings' }).fill('capt')
  await expect.poll(() => page.getByRole('region', { name: 'Configuration in effect' }).getByRole('row').count()).toBe(2)
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Servers of the config file' }) })
  while ((await card.getByText('API_TOKEN').count()) === 0) await card.getByRole('button', { expanded: false }).first().click()
  expect(await page.content()).not.toContain('never-shown')
  await axe(page)
  await shot(page, 'settings-values')
})

test('language and theme are chosen in the settings, at once and for good', async () => {
  const page = await open(running, '#/settings')
  await page.getByRole('combobox', { name: 'Theme' }).click()
  await page.getByRole('option', { name: 'Dark' }).click()
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
  await page.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: '日本語' }).click()
  await page.getByRole('heading', { name: '設定', level: 1 }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: '設定', level: 1 }).waitFor()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
})

test('hooks and workflows leave in one file and come back, and servers come from the file of a client', async () => {
  await running.api('POST', 'api/hooks', { name: 'kept', hookType: 'pre', script: 'return' })
  const { id } = await store(running, line('Kept too', [hook('h', 250, 'return // here')]))
  const page = await open(running, '#/settings')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const file = await (await downloading).path()
  await page.getByText('1 hook, 0 activities and 1 workflow exported').first().waitFor()
  expect(await readFile(file, 'utf8')).not.toContain('never-shown')
  await running.api('DELETE', `api/workflows/${id}`)
  const [first] = await running.api<{ id: string }[]>('GET', 'api/hooks')
  await running.api('DELETE', `api/hooks/${first?.id}`)
  const take = page.getByLabel('Import', { exact: true })
  await take.setInputFiles(file)
  await page.getByText('2 imported, 0 there already, 0 refused').first().waitFor()
  const [back] = await running.api<{ name: string; enabled: boolean; nodes: object[] }[]>('GET', 'api/workflows')
  expect([back?.name, back?.enabled, JSON.stringify(back?.nodes).includes('// here')]).toEqual(['Kept too', false, true])
  const servers = { mcpServers: { second: { command: demo.command, args: demo.args } } }
  await take.setInputFiles({ name: 'mcp.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(servers)) })
  await page.getByText('1 imported, 0 there already, 0 refused').first().waitFor()
  await take.setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{"a":1}') })
  await page.getByText('This file is neither an export of Lockgate nor a configuration with servers.').first().waitFor()
})

test('what one gateway exports works in another, entry by entry, and once', async () => {
  const fromFile = { activities: [{ name: 'filed', run: { script: 'return {}' } }], workflows: [{ name: 'of_the_file', steps: [{ activity: 'filed' }] }] }
  const [one, other] = [await gateway({ config: fromFile }), await gateway()]
  try {
    const { id: old } = await one.api<{ id: string }>('POST', 'api/hooks', { name: 'shared', hookType: 'pre', script: 'return' })
    const http = { url: 'https://example.com/', headers: { Authorization: 'never-shown-3', Accept: 'text/plain' } }
    await one.api('POST', 'api/activities', { name: 'note', run: { http } })
    await one.api('POST', 'api/workflows', { name: 'noting', workflowType: 'session', steps: [{ activity: 'note' }] })
    // An activity over a workflow, and a workflow over that activity: neither order of all would do.
    await one.api('POST', 'api/activities', { name: 'a_part', run: { workflow: { name: 'noting' } } })
    await one.api('POST', 'api/workflows', { name: 'all_of_it', workflowType: 'session', steps: [{ activity: 'a_part' }] })
    const module = { id: 'm', type: 'hook', position: { x: 250, y: 200 }, data: { label: 'm', servers: ['a'], hook: { id: 'm', hookModuleId: old, blocking: true } } }
    await store(one, line('Over a module', [module as never]))

    const leaving = await open(one, '#/settings', { allow: /ERR_/ })
    const downloading = leaving.waitForEvent('download')
    await leaving.getByRole('button', { name: 'Download' }).click()
    await leaving.getByText('1 hook, 2 activities and 3 workflows exported').first().waitFor()
    const text = await readFile(await (await downloading).path(), 'utf8')
    expect(text).not.toMatch(/never-shown|of_the_file|"filed"/)
    const bundle = JSON.parse(text) as { hooks: object[]; workflows: object[] }
    bundle.hooks.unshift({ name: 'broken', hookType: 'pre', script: 'return {' })
    bundle.workflows.unshift({ name: 'lost', workflowType: 'session', steps: [{ activity: 'nowhere' }] })

    const page = await open(other, '#/settings', { allow: /400|ERR_/ })
    const take = page.getByLabel('Import', { exact: true })
    const file = { name: 'bundle.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(bundle)) }
    await take.setInputFiles(file)
    await page.getByText('6 imported, 0 there already, 2 refused').first().waitFor()
    const report = page.getByRole('list', { name: 'What became of each entry' }).getByRole('listitem')
    await report.filter({ hasText: /refused.*broken.*\S/ }).waitFor()
    await report.filter({ hasText: /refused.*lost.*nowhere/ }).waitFor()
    await report.filter({ hasText: /imported.*note.*Authorization/ }).waitFor()
    await axe(page)
    await shot(page, 'settings-report')

    type Made = { name: string; enabled: boolean; valid: boolean; nodes: { data: { hook?: { hookModuleId?: string } } }[] }
    const made = await other.api<Made[]>('GET', 'api/workflows')
    expect(made.map(({ name, enabled, valid }) => [name, enabled, valid]).sort()).toEqual([['Over a module', false, true], ['all_of_it', false, true], ['noting', false, true]])
    const [shared] = await other.api<{ id: string; name: string }[]>('GET', 'api/hooks')
    expect(shared?.id).not.toBe(old)
    expect(made.find(({ name }) => name === 'Over a module')?.nodes[1]?.data.hook?.hookModuleId).toBe(shared?.id)

    await take.setInputFiles(file)
    await page.getByText('0 imported, 6 there already, 2 refused').first().waitFor()
    expect((await other.api<Made[]>('GET', 'api/workflows')).length).toBe(3)
  } finally {
    await one.stop()
    await other.stop()
  }
})

test('only a config file that is wrong is called wrong', async () => {
  const page = await open(running, '#/settings', { allow: /40[0-9]|503/ })
  await page.getByRole('row', { name: /^captures\.keep/ }).waitFor()
  const right = await readFile(running.config, 'utf8')
  await writeFile(running.config, right.replace('"keep": 7', '"keep": "seven"'))
  await page.reload()
  await page.getByText('The config file is wrong now').waitFor()
  await page.route(({ pathname }) => pathname === '/api/config', (route) => {
    const error = { code: 'OVERLOADED', message: 'The gateway has as many requests under way as it takes', details: {} }
    return route.fulfill({ status: 503, json: { success: false, error } })
  })
  await page.reload()
  await page.getByRole('main').getByRole('alert').waitFor()
  expect(await page.getByText('The config file is wrong now').count()).toBe(0)
  await writeFile(running.config, right)
})
