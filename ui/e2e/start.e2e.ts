import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, fixture, gateway, open, shot, type Gateway } from './support'

const run = promisify(exec)
let running: Gateway

beforeAll(async () => {
  running = await gateway()
})
afterAll(() => running.stop())

const configuration = JSON.stringify({
  mcpServers: {
    more: { command: fixture.command },
    'health-server': { command: 'x' },
    bad: { command: 'x', env: { low: 'v' } },
    keyless: { command: 'sh', args: ['-c', "echo 'API_KEY is not set' >&2; exit 3"] },
  },
})

test('the first run leads from a pasted configuration to the first call', async () => {
  const page = await open(running, '#/start')
  await page.getByRole('textbox', { name: 'Configuration of your client' }).fill(configuration)
  const plan = page.getByRole('region', { name: 'Found in the configuration' })
  await plan.waitFor()
  const rows = await plan.locator('tbody tr').allInnerTexts()
  expect(rows.map((row) => row.split(/\s+/).slice(0, 2).join(' '))).toEqual(['more new', 'health-server exists', 'bad invalid', 'keyless new'])
  expect(rows[2]).toContain('mcpServers.bad.env.low')
  await shot(page, 'start-plan')

  await page.getByRole('button', { name: 'Add 2 servers' }).click()
  await page.locator('[data-server="more"][data-status="running"]').waitFor()
  const keyless = page.locator('[data-server="keyless"]')
  await keyless.getByText('API_KEY is not set').first().waitFor()
  await keyless.getByText('What may help').waitFor()
  await expect.poll(() => page.locator('[data-step="2"]').getAttribute('data-state')).toBe('trouble')
  await axe(page)
  await shot(page, 'start-trouble')
  await keyless.getByRole('button', { name: 'Remove' }).click()
  await expect.poll(() => page.locator('[data-step="2"]').getAttribute('data-state')).toBe('done')

  await page.getByText('Waiting for the first call…').waitFor()
  // What each client needs is copied with a press.
  for (const [name, part] of [['Claude Desktop', 'mcp-remote'], ['Cursor', '"url"'], ['VS Code', '"type": "http"'], ['Claude Code', 'claude mcp add']] as const) {
    await page.getByRole('tab', { name, exact: true }).click()
    await page.getByRole('tabpanel').getByRole('button', { name: 'Copy' }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect([copied.includes(part), copied.includes(new URL('mcp', running.url).href)], name).toEqual([true, true])
  }
  await page.getByText('Waiting for the first call…').waitFor()
  await page.getByRole('tab', { name: 'curl' }).click()
  const command = await page.getByRole('tabpanel').locator('pre').innerText()
  await run(command)
  await page.getByText('The first call came through').waitFor()
  await expect.poll(() => page.locator('[data-step="3"]').getAttribute('data-state')).toBe('done')
  await shot(page, 'start-done')
  await page.getByRole('link', { name: 'Open the dashboard' }).click()
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
})

test('the demo server is there in one click', async () => {
  const page = await open(running, '#/start')
  await page.getByRole('button', { name: 'Add the demo server' }).click()
  await page.locator('[data-server="demo"][data-status="running"]').waitFor()
  await page.getByRole('button', { name: 'The demo server is there' }).waitFor()
})

test('a dropped file is read, and one that is no configuration is explained', async () => {
  const page = await open(running, '#/start', { allow: /400/ })
  await page.getByRole('textbox', { name: 'Configuration of your client' }).waitFor()
  const drop = (text: string) =>
    page.getByRole('textbox', { name: 'Configuration of your client' }).evaluate((target, content) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([content], 'mcp.json', { type: 'application/json' }))
      target.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer }))
    }, text)
  await drop('{"mcpServers": {"dropped": {"command": "x"}}}')
  await page.getByRole('region', { name: 'Found in the configuration' }).getByText('dropped').waitFor()
  await drop('hello')
  await page.getByRole('alert').getByText('known are').waitFor()
  expect(await page.getByRole('button', { name: /^Add \d/ }).count()).toBe(0)
})
