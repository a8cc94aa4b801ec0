import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, gateway, open, shot, type Gateway } from './support'

let lockgate: Gateway
beforeAll(async () => {
  const activities = [{ name: 'note', run: { script: 'return { data: { ok: true } }' } }]
  lockgate = await gateway({ config: { activities, workflows: [{ name: 'deliver', steps: [{ activity: 'note' }] }] } })
})
afterAll(() => lockgate.stop())

const forms: [string, string, (page: Page) => Promise<void>][] = [
  ['#/sessions?tab=activities', 'New activity', (page) => page.getByRole('textbox', { name: 'Name' }).fill('precious')],
  ['#/schedules', 'New schedule', (page) => page.getByRole('textbox', { name: 'Cron expression' }).fill('1 2 3 4 5')],
  ['#/settings', 'New key', (page) => page.getByRole('textbox', { name: 'Name' }).fill('precious')],
]

for (const [path, name, type] of forms) {
  test(`"${name}" closes at once when nothing was typed, and asks before it loses something`, async () => {
    const page = await open(lockgate, path)
    const opener = page.getByRole('button', { name }).first()
    const form = page.getByRole('dialog', { name })
    await opener.click()
    await form.waitFor()
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })

    await opener.click()
    await type(page)
    for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 5), () => form.getByRole('button', { name: 'Close' }).click()]) {
      await leave()
      const question = page.getByRole('dialog', { name: 'Close without saving?' })
      await question.waitFor()
      await axe(page)
      await question.getByRole('button', { name: 'Go on editing' }).click()
      await question.waitFor({ state: 'detached' })
      expect(await form.isVisible()).toBe(true)
    }
    expect(await form.locator('input').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)).then((all) => all.some((text) => /precious|1 2 3 4 5/.test(text)))).toBe(true)
    await page.keyboard.press('Escape')
    await shot(page, `form-${name.replaceAll(' ', '-')}`)
    await page.getByRole('button', { name: 'Discard it' }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  })
}

test('on a phone every field of an activity has room', async () => {
  const page = await open(lockgate, '#/sessions?tab=activities', { size: { width: 380, height: 844 } })
  await page.getByRole('button', { name: 'New activity' }).click()
  const form = page.getByRole('dialog', { name: 'New activity' })
  expect((await form.getByRole('textbox', { name: 'Name' }).boundingBox())?.width).toBeGreaterThan(250)
  await form.getByRole('tab', { name: 'Limits' }).click()
  expect((await form.getByRole('textbox', { name: /^Timeout/ }).boundingBox())?.width).toBeGreaterThan(250)
})

test('on a phone the plan of an import can be read', async () => {
  const page = await open(lockgate, '#/start', { language: 'ja', size: { width: 380, height: 844 } })
  await page.getByRole('textbox').first().fill(JSON.stringify({ mcpServers: { files: { command: 'npx' }, 'health-server': { command: 'x' }, 'no-command-at-all': { args: [] } } }))
  await page.getByText('この名前のサーバーはすでにあります。').waitFor()
  const reason = await page.getByText('mcpServers.no-command-at-all.command is required').boundingBox()
  expect(reason?.width).toBeGreaterThan(100)
  expect(reason?.height).toBeLessThan(70)
})

test('a window whose field takes the focus gives it back to what opened the window', async () => {
  const page = await open(lockgate, '#/workflows?tab=modules')
  const opener = page.getByRole('button', { name: 'New module' }).first()
  await opener.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New module' }).waitFor()
  await page.keyboard.press('Escape')
  await eventually('the button has the focus again', () => opener.evaluate((button) => button === document.activeElement))
})
