// Unsaved work of several tabs of one browser.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, gateway, type Gateway, open, profile } from './support'
import { line, ready, store, stored } from './workflow-graphs'

let running: Gateway

beforeAll(async () => {
  running = await gateway()
})
afterAll(() => running.stop())

const script = (page: Page) => page.getByRole('textbox', { name: 'Script of the hook' })
const offer = (page: Page) => page.getByText('There is a draft that was not saved')

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

/** A tab with the editor of a workflow, which leaves without asking. */
async function editing(context: BrowserContext, id: string): Promise<Page> {
  const page = await open(running, `#/workflows/${id}`, { context })
  page.on('dialog', (dialog) => void dialog.accept())
  await ready(page)
  return page
}

const name = (page: Page) => page.getByLabel('Name of the workflow')
const drafts = (page: Page, text: string) => page.evaluate((text) => Object.entries(localStorage).filter(([key, value]) => key.startsWith('lockgate.draft.') && value.includes(text)).length, text)
const rename = async (page: Page, text: string) => {
  await name(page).fill(text)
  await eventually(`a draft of ${text}`, async () => (await drafts(page, text)) === 1)
}

test('what one tab saves is no end of what another has not saved', async () => {
  const { id } = await store(running, line('Twice open'))
  const context = await profile()
  const [one, other] = [await editing(context, id), await editing(context, id)]
  await rename(other, 'Long work')
  await rename(one, 'Short work')
  await one.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually('it is saved', async () => (await stored(running, id)).name === 'Short work')
  await expect.poll(() => drafts(one, 'Short work')).toBe(0)
  expect(await drafts(other, 'Long work')).toBe(1)
  await other.reload()
  await offer(other).waitFor()
  await other.getByRole('button', { name: 'Restore the draft' }).click()
  expect(await name(other).inputValue()).toBe('Long work')
})

test('a draft of a tab that was closed is offered once, and one that is dropped elsewhere stays with its tab', async () => {
  const { id } = await store(running, line('Left open'))
  const context = await profile()
  const closed = await editing(context, id)
  await rename(closed, 'Left behind')
  const next = await editing(context, id)
  await offer(next).waitFor()
  await next.getByRole('button', { name: 'Discard it' }).click()
  expect(await drafts(next, 'Left behind')).toBe(0)
  await closed.close({ runBeforeUnload: true })
  await eventually('the tab kept it when it went', async () => (await drafts(next, 'Left behind')) === 1)
  await next.reload()
  await next.getByRole('button', { name: 'Restore the draft' }).click()
  await next.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually('it is saved', async () => (await stored(running, id)).name === 'Left behind')
  await expect.poll(() => drafts(next, 'Left behind')).toBe(0)
})

test('a copy of a tab keeps drafts of its own', async () => {
  const { id } = await store(running, line('Copied'))
  const context = await profile()
  const first = await editing(context, id)
  await rename(first, 'In the first')
  // A tab that another opens begins with a copy of what is stored for that one's session, as a duplicate does.
  const [copy] = await Promise.all([context.waitForEvent('page'), first.evaluate(() => void window.open(location.href))])
  copy.on('dialog', (dialog) => void dialog.accept())
  await ready(copy)
  const tab = (page: Page) => page.evaluate(() => sessionStorage.getItem('lockgate.tab'))
  const named = await tab(first)
  await expect.poll(() => tab(copy)).not.toBe(named)
  await rename(copy, 'In the copy')
  expect(await drafts(first, 'In the first')).toBe(1)
  await copy.reload()
  await offer(copy).waitFor()
  await copy.getByRole('button', { name: 'Restore the draft' }).click()
  expect(await name(copy).inputValue()).toBe('In the copy')
  expect(await tab(first)).toBe(named)
})

test('a draft that all tabs kept together before is offered once', async () => {
  const { id } = await store(running, line('Long ago'))
  const context = await profile()
  const first = await editing(context, id)
  await rename(first, 'From before')
  await first.evaluate((id) => {
    const [key = '', value = ''] = Object.entries(localStorage).find(([key]) => key.startsWith(`lockgate.draft.${id}.`)) ?? []
    window.addEventListener('unload', () => {
      localStorage.removeItem(key)
      localStorage.setItem(`lockgate.draft.${id}`, value)
    })
  }, id)
  await first.reload()
  await offer(first).waitFor()
  await first.getByRole('button', { name: 'Restore the draft' }).click()
  expect(await name(first).inputValue()).toBe('From before')
  expect(await first.evaluate((id) => localStorage.getItem(`lockgate.draft.${id}`), id)).toBeNull()
  expect(await drafts(first, 'From before')).toBe(1)
})

test('from a hook that was just saved, back leads to where it was begun', async () => {
  const page = await open(running, '#/hooks')
  await page.getByRole('button', { name: 'New hook' }).first().click()
  await page.getByRole('menuitem', { name: 'Empty script' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('fresh')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL(/id=(?!new-)/)
  await page.goBack()
  await page.waitForURL(/#\/hooks$/)
  await page.locator('[data-hook="fresh"]').waitFor()
  expect(await page.getByText('does not exist any more').count()).toBe(0)
})
