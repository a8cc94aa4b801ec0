// Unsaved work of several tabs of one browser.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, gateway, type Gateway, open, profile } from './support'

let running: Gateway

beforeAll(async () => {
  running = await gateway()
})
afterAll(() => running.stop())

const script = (page: Page) => page.getByRole('textbox', { name: 'Script of the hook' })

test('a tab that shows what is typed in another writes nothing of it back', async () => {
  const { id } = await running.api<{ id: string }>('POST', 'api/hooks', { name: 'shared', hookType: 'pre', script: 'return' })
  const context = await profile()
  const watching = await open(running, `#/hooks?id=${id}`, { context })
  await script(watching).waitFor()
  await watching.evaluate(() => {
    const write = Storage.prototype.setItem
    Storage.prototype.setItem = function (key: string, value: string) {
      if (key === 'lockgate.hooks.drafts') document.body.dataset['wrote'] = value
      write.call(this, key, value)
    }
  })
  const typing = await open(running, `#/hooks?id=${id}`, { context })
  await script(typing).click()
  await typing.keyboard.press('Control+Home')
  await typing.keyboard.type('// alpha beta gamma delta ')
  await eventually('the other tab shows it', async () => (await script(watching).textContent()) === '// alpha beta gamma delta return')
  expect(await watching.locator('body').getAttribute('data-wrote')).toBeNull()
  expect(await script(typing).textContent()).toBe('// alpha beta gamma delta return')
})
