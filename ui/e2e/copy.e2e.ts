// Copying where the page is not served over HTTPS: browsers give the clipboard only to what the reader has selected.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixture, gateway, open, profile, type Gateway } from './support'

let lockgate: Gateway
beforeAll(async () => {
  const loud = { ...fixture, name: 'loud', command: 'sh', args: ['-c', `echo 'listening for work' >&2; exec '${fixture.command}'`] }
  lockgate = await gateway({ servers: [loud] })
})
afterAll(() => lockgate.stop())

test.each([true, false])('without the clipboard of secure pages a text in a window is copied, or the page says that it is not: %s', async (works) => {
  const context = await profile()
  const page = await open(lockgate, '#/', { context })
  await page.evaluate(() => navigator.clipboard.writeText('old'))
  await page.addInitScript((may) => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    if (!may) document.execCommand = () => false
  }, works)
  await page.goto(new URL('#/servers', lockgate.url).href)
  await page.reload()
  await page.getByRole('article', { name: 'loud' }).getByRole('button', { name: 'Log', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('listening for work').waitFor()
  const copy = dialog.getByRole('button', { name: /^Cop/ })
  await copy.focus()
  await page.keyboard.press('Enter')
  if (works) await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  else await page.getByText('could not be copied').first().waitFor()
  expect(await copy.evaluate((button) => button === document.activeElement)).toBe(true)
  const other = await open(lockgate, '#/', { context })
  await other.bringToFront()
  expect(await other.evaluate(() => navigator.clipboard.readText())).toBe(works ? 'listening for work' : 'old')
})
