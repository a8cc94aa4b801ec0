import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { hasEdges, hook, line, on, ready, store, type Stored, stored } from './workflow-graphs'

let lockgate: Gateway

beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture] })
})
afterAll(() => lockgate.stop())

const all = () => lockgate.api<Stored[]>('GET', 'api/workflows')
const nameOf = (page: Page) => page.getByLabel('Name of the workflow')

/** Edits a workflow, lets somebody else save it first, and meets the dialog. */
async function conflict(name: string): Promise<{ id: string; page: Page }> {
  const { id } = await store(lockgate, line(name, [hook('shared', 250, 'return // as it was')]))
  const page = await open(lockgate, `#/workflows/${id}`, { allow: /409/ })
  await ready(page)
  await nameOf(page).fill(`${name}, mine`)
  await lockgate.api('PATCH', `api/workflows/${id}`, line(`${name}, theirs`, [hook('shared', 250, 'return // theirs')]))
  await page.getByText('Somebody saved a newer version').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('dialog', { name: 'Somebody saved this workflow before you' }).waitFor()
  return { id, page }
}

test('a save that is asked for again before it is answered is no conflict with oneself, and saves what was typed since', async () => {
  const { id } = await store(lockgate, line('Held'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  let [asked, answer] = [0, () => {}]
  const held = new Promise<void>((done) => (answer = done))
  await page.route(`**/api/workflows/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') {
      asked += 1
      await held
    }
    await route.continue()
  })
  await nameOf(page).fill('Held down')
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Control+s')
  await eventually('it is asked', async () => asked > 0)
  await nameOf(page).fill('Held down longer')
  await page.keyboard.press('Control+s')
  answer()
  await eventually('the last name is saved', async () => (await stored(lockgate, id)).name === 'Held down longer')
  await page.getByText('Saved', { exact: true }).waitFor()
  expect([asked, (await stored(lockgate, id)).revision, await page.getByRole('dialog').count()]).toEqual([2, 3, 0])
})

test('who meets a newer version may keep the own one, on purpose', async () => {
  const { id, page } = await conflict('Kept')
  expect((await stored(lockgate, id)).name).toBe('Kept, theirs')
  await page.getByRole('dialog').getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await eventually('mine is saved', async () => (await stored(lockgate, id)).name === 'Kept, mine')
  expect(JSON.stringify((await stored(lockgate, id)).nodes)).toContain('as it was')
  await page.getByText('Saved', { exact: true }).waitFor()
  // What they saved is a version that can still be looked at.
  const versions = await lockgate.api<{ name: string }[]>('GET', `api/workflows/${id}/versions`)
  expect(versions.map((version) => version.name)).toEqual(['Kept, mine', 'Kept, theirs', 'Kept'])
})

test('who meets a newer version may save the own one as a copy, and both stay', async () => {
  const { id, page } = await conflict('Copied')
  await page.getByRole('dialog').getByRole('button', { name: 'Save mine as a copy' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const copy = await eventually('the copy is there', async () => (await all()).find((one) => one.id !== id && one.name.includes('Copied, mine')))
  await eventually('the copy is opened', async () => page.url().includes(copy.id))
  expect(JSON.stringify(copy.nodes)).toContain('as it was')
  expect(copy.enabled).toBe(false)
  const theirs = await stored(lockgate, id)
  expect([theirs.name, JSON.stringify(theirs.nodes).includes('theirs')]).toEqual(['Copied, theirs', true])
  // Nothing is left of the draft, so nobody is asked about it later.
  await page.goto(new URL(`#/workflows/${id}`, lockgate.url).href)
  await page.reload()
  await ready(page)
  expect(await nameOf(page).inputValue()).toBe('Copied, theirs')
  expect(await page.getByText('There is a draft that was not saved').count()).toBe(0)
})

test('who meets a newer version that cannot be read is told, and saves later', async () => {
  const { id } = await store(lockgate, line('Unread'))
  const page = await open(lockgate, `#/workflows/${id}`, { allow: /409|ERR_FAILED/ })
  await ready(page)
  await nameOf(page).fill('Unread, mine')
  await lockgate.api('PATCH', `api/workflows/${id}`, line('Unread, theirs'))
  await page.getByText('Somebody saved a newer version').waitFor()
  await page.route(`**/api/workflows/${id}`, (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()))
  await page.keyboard.press('Control+s')
  await page.getByText('The gateway cannot be reached. Is it running?').first().waitFor()
  await page.unroute(`**/api/workflows/${id}`)
  await page.keyboard.press('Control+s')
  await page.getByRole('dialog', { name: 'Somebody saved this workflow before you' }).waitFor()
})

test('who edits a workflow that somebody deletes is told, and may save it as a new one', async () => {
  const { id } = await store(lockgate, line('Deleted', [hook('shared', 250, 'return // as it was')]))
  const page = await open(lockgate, `#/workflows/${id}`, { allow: /404/ })
  await ready(page)
  await nameOf(page).fill('Deleted, mine')
  await lockgate.api('DELETE', `api/workflows/${id}`)
  const notice = page.getByRole('alert').filter({ hasText: 'Somebody deleted this workflow' })
  await notice.waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('status').filter({ hasText: 'Somebody deleted this workflow' }).first().waitFor()
  await axe(page)
  await notice.getByRole('button', { name: 'Save as a new workflow' }).click()
  const made = await eventually('it is there again', async () => (await all()).find((one) => one.name === 'Deleted, mine'))
  await eventually('it is opened', async () => page.url().includes(made.id))
  await notice.waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a workflow that is saved without a name shows the one it got', async () => {
  const { id } = await store(lockgate, line('Named'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await nameOf(page).fill('')
  await page.keyboard.press('Control+s')
  await page.getByText('Saved', { exact: true }).first().waitFor()
  expect([await nameOf(page).inputValue(), (await stored(lockgate, id)).name]).toEqual(['Untitled', 'Untitled'])
})

test('nodes are cut, pasted and copied on the canvas, with their connections, and undo takes it back', async () => {
  const { id } = await store(lockgate, line('Scissors', [hook('first', 250, 'return // first'), hook('second', 500, 'return // second')]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await hasEdges(page, 4)
  const nodes = () => page.locator('.react-flow__node').count()
  await on(page, 'first').click()
  await on(page, 'second').click({ modifiers: ['Shift'] })
  await page.keyboard.press('Control+x')
  await eventually('both are gone', async () => (await nodes()) === 3)
  // The line heals around what was cut.
  await hasEdges(page, 2)
  await page.keyboard.press('Control+v')
  await eventually('both are back', async () => (await nodes()) === 5)
  await hasEdges(page, 3)
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Control+v')
  await eventually('and there twice', async () => (await nodes()) === 7)
  await hasEdges(page, 4)
  await page.keyboard.press('Control+s')
  const saved = await eventually('it is saved', async () => {
    const now = await stored(lockgate, id)
    return now.nodes.length === 7 && now
  })
  const scripts = saved.nodes.flatMap(({ data }) => (data['hook'] ? [(data['hook'] as { script: string }).script] : []))
  expect(scripts.sort()).toEqual(['return // first', 'return // first', 'return // second', 'return // second'])
  expect(new Set(saved.nodes.map((node) => node.id)).size).toBe(7)
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Control+z')
  await eventually('as at the beginning', async () => (await nodes()) === 5)
  await hasEdges(page, 4)
  await on(page, 'first').waitFor()
})

test('text that is no graph is not pasted, and nothing happens to the one that is there', async () => {
  const { id } = await store(lockgate, line('Untouched'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.evaluate(() => navigator.clipboard.writeText('{"hello": "world"}'))
  await page.locator('.react-flow__pane').click({ position: { x: 40, y: 40 } })
  await page.keyboard.press('Control+v')
  expect(await page.locator('.react-flow__node').count()).toBe(3)
  await page.getByText('Saved', { exact: true }).waitFor()
})

test('a hook node takes the script of a saved hook, shows which, and runs it', async () => {
  const script = 'context.request.params.arguments.from = "module"; return { continue: true }'
  const module = await lockgate.api<{ id: string }>('POST', 'api/hooks', { name: 'Stamp of the house', hookType: 'pre', enabled: false, script })
  const { id } = await store(lockgate, line('Modular', [hook('stamp', 250, 'return { continue: true }')]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await on(page, 'stamp').click()
  await page.getByRole('combobox', { name: 'Source' }).click()
  await page.getByRole('option', { name: 'Hook module' }).click()
  await page.getByRole('tab', { name: /Problems/ }).click()
  await page.getByRole('tabpanel').getByRole('listitem').first().waitFor()
  await on(page, 'stamp').click()
  await page.getByRole('tab', { name: 'Inspector' }).click()
  await page.getByRole('combobox', { name: 'Module' }).click()
  await page.getByRole('option', { name: 'Stamp of the house' }).click()
  await axe(page)
  await shot(page, 'editor-module')
  await page.getByRole('switch', { name: 'Active' }).click()
  await eventually('it is active', async () => (await stored(lockgate, id)).enabled)
  const node = (await stored(lockgate, id)).nodes.find((one) => one.id === 'stamp')
  expect(node?.data['hook']).toMatchObject({ hookModuleId: module.id })
  expect(node?.data['hook']).not.toHaveProperty('script')
  expect(JSON.stringify(await lockgate.call('fixture', 'echo', {}))).toContain('module')
  // The link leads to that hook, and back to an own script is one choice away.
  await page.getByRole('link', { name: 'Open the hook' }).click()
  await page.getByRole('heading', { name: 'Hooks', level: 1 }).waitFor()
  await lockgate.api('POST', `api/workflows/${id}/disable`)
})

test('what is told above the canvas is told in Japanese sentences', async () => {
  const { id } = await store(lockgate, line('Told'))
  const page = await open(lockgate, `#/workflows/${id}`, { language: 'ja' })
  await ready(page)
  await page.getByLabel('ワークフローの名前').fill('自分の名前')
  await lockgate.api('PATCH', `api/workflows/${id}`, { name: 'ほかの名前' })
  await page.getByText('新しい版が保存されています。このまま続けられます。保存するときに確認します。').waitFor()
})
