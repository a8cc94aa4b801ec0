import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { drag, hasEdges, hook, line, on, parted, ready, store, stored } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture] })
})
afterAll(() => lockgate.stop())

const box = async (page: Page, id: string) => (await on(page, id).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
const clean = (page: Page) => page.getByText('Saved', { exact: true }).waitFor()
const dirty = (page: Page) => page.getByText('Not saved', { exact: true }).waitFor()

test('a problem leads to its node, which is selected and brought to the middle; saving is allowed, enabling is not', async () => {
  const far = { ...hook('lost', 250, 'return'), position: { x: 4000, y: 3000 } }
  const { id } = await store(lockgate, line('Unfinished'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  const { nodes, edges } = await stored(lockgate, id)
  await lockgate.api('PATCH', `api/workflows/${id}`, { nodes: [...nodes, far], edges })
  await page.getByRole('tab', { name: /Problems/ }).click()
  await page.getByRole('button', { name: /“lost” is not on the path/ }).click()
  await on(page, 'lost').waitFor()
  expect(await on(page, 'lost').getAttribute('class')).toContain('selected')
  const canvas = (await page.locator('.react-flow').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await eventually('it stands in the middle', async () => {
    const at = await box(page, 'lost')
    const [dx, dy] = [at.x + at.width / 2 - canvas.x - canvas.width / 2, at.y + at.height / 2 - canvas.y - canvas.height / 2]
    return Math.abs(dx) < 20 && Math.abs(dy) < 20
  })
  expect(await page.getByRole('switch', { name: 'Active' }).isDisabled()).toBe(true)
  await page.getByLabel('Name of the workflow').fill('Still unfinished')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually('it is saved', async () => (await stored(lockgate, id)).name === 'Still unfinished')
  expect((await stored(lockgate, id)).enabled).toBe(false)
})

test('start, call and end cannot be deleted', async () => {
  const { id } = await store(lockgate, line('Whole'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  for (const fixed of ['start', 'call', 'end']) {
    await on(page, fixed).click()
    expect(await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.keyboard.press('Delete')
  }
  expect(await page.locator('.react-flow__node').count()).toBe(3)
  await clean(page)
})

test('the two buttons add a hook that is awaited and one that is not, into the line and beside it', async () => {
  const { id } = await store(lockgate, line('Buttons'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await on(page, 'start').click()
  await page.getByRole('button', { name: 'Add: Hook' }).click()
  await hasEdges(page, 3)
  await on(page, 'call').click()
  await page.getByRole('button', { name: 'Add: Fire and forget' }).click()
  await hasEdges(page, 4)
  await page.keyboard.press('Control+s')
  const saved = await eventually('both are saved', async () => {
    const now = await stored(lockgate, id)
    return now.nodes.length === 5 && now
  })
  const hooks = saved.nodes.filter(({ type }) => type === 'hook')
  expect(hooks.map(({ data }) => (data['hook'] as { blocking: boolean }).blocking)).toEqual([true, false])
  const aside = hooks[1]?.id ?? ''
  expect(saved.edges.filter(({ source }) => source === aside)).toEqual([])
  expect(await on(page, aside).locator('.react-flow__handle.source').count()).toBe(0)
})

test('every edit is undone and done again: place, label, script, switches, kind, description and tidying', async () => {
  const { id } = await store(lockgate, line('Everything', [hook('one', 250, 'return 1')]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  // The canvas makes room for the fields of a node that is selected.
  await on(page, 'one').click()
  await page.getByRole('textbox', { name: 'Label' }).waitFor()
  const from = await box(page, 'one')
  await drag(page, on(page, 'one'), { x: from.x + from.width / 2, y: from.y + 160 })
  await page.getByRole('textbox', { name: 'Label' }).fill('Uno')
  await page.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('return 2')
  await page.getByRole('combobox', { name: 'When it fails' }).click()
  await page.getByRole('option').last().click()
  await page.getByRole('switch', { name: 'Wait for it' }).click()
  await page.locator('.react-flow__pane').click({ position: { x: 30, y: 30 } })
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: /list/i }).click()
  await page.getByLabel('Description').fill('About it')
  await page.getByRole('button', { name: /^Tidy up/ }).click()
  await dirty(page)
  const undo = page.getByRole('button', { name: /^Undo/ })
  let steps = 0
  for (; await undo.isEnabled(); steps += 1) await undo.click()
  await clean(page)
  expect(steps).toBeGreaterThanOrEqual(8)
  await on(page, 'one').getByText('return 1').waitFor()
  const redo = page.getByRole('button', { name: /^Redo/ })
  while (await redo.isEnabled()) await redo.click()
  await page.keyboard.press('Control+s')
  const saved = await eventually('it is saved', async () => {
    const now = await lockgate.api<{ description?: string; workflowType: string; nodes: { id: string; data: { label: string; hook?: object } }[] }>('GET', `api/workflows/${id}`)
    return now.description === 'About it' && now
  })
  expect(saved.workflowType).toBe('tools/list')
  expect(saved.nodes.find((node) => node.id === 'one')?.data).toMatchObject({ label: 'Uno', hook: { script: 'return 2', blocking: false } })
})

test('what is copied is JSON on the clipboard of the system', async () => {
  const { id } = await store(lockgate, line('Plain text', [hook('kept', 250, 'return // kept')]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await on(page, 'kept').click()
  await page.keyboard.press('Control+c')
  const text = await page.evaluate(() => navigator.clipboard.readText())
  const copied = JSON.parse(text) as { nodes: { type: string; data: { label: string } }[] }
  expect(copied.nodes).toMatchObject([{ type: 'hook', data: { label: 'kept', hook: { script: 'return // kept' } } }])
  await page.keyboard.press('Control+d')
  await eventually('a duplicate is there', async () => (await page.locator('.react-flow__node').count()) === 5)
})

test('fit, the map and the menus of the canvas and of an edge are at hand', async () => {
  const { id } = await store(lockgate, line('Menus', [hook('one', 250, 'return')]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.locator('.react-flow__minimap').waitFor()
  await page.getByRole('button', { name: 'Map' }).click()
  await page.locator('.react-flow__minimap').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Map' }).click()
  await page.locator('.react-flow__minimap').waitFor()
  const view = () => page.locator('.react-flow__viewport').getAttribute('style')
  const fitted = await view()
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await eventually('it is nearer', async () => (await view()) !== fitted)
  await page.locator('.react-flow__pane').click({ position: { x: 30, y: 30 }, button: 'right' })
  await page.getByRole('menuitem', { name: /^Fit/ }).click()
  await eventually('all of it is in sight', async () => {
    const canvas = await page.locator('.react-flow').boundingBox()
    const [first, last] = [await box(page, 'start'), await box(page, 'end')]
    return canvas !== null && first.x >= canvas.x && last.x + last.width <= canvas.x + canvas.width
  })
  await page.locator('.react-flow__pane').click({ position: { x: 30, y: 30 }, button: 'right' })
  await page.getByRole('menuitem', { name: /Select all/ }).click()
  await page.getByText('4 nodes selected').waitFor()
  await page.locator('.react-flow__edge').first().click({ button: 'right', force: true })
  await page.getByRole('menuitem', { name: 'Remove the connection' }).click()
  await hasEdges(page, 2)
})

test('the keyboard keeps its place: on the node that was added, gone to or connected, and beside one that was deleted', async () => {
  const { id } = await store(lockgate, line('Keys', [hook('one', 250, 'return')]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  const focused = () => page.evaluate(() => document.activeElement?.closest('.react-flow__node')?.getAttribute('data-id'))
  const isAt = (node: RegExp) => eventually(`the focus is on ${node}`, async () => node.test((await focused()) ?? ''))
  await on(page, 'one').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('n')
  await page.getByRole('combobox', { name: 'Add a node' }).fill('cond')
  await page.keyboard.press('Enter')
  await isAt(/^condition/)
  await page.keyboard.press('c')
  await page.getByRole('combobox', { name: 'Connect to…' }).fill('end')
  await page.keyboard.press('Enter')
  await isAt(/^condition/)
  await page.keyboard.press('Delete')
  await isAt(/^one$/)
  await on(page, 'one').press('Enter')
  await page.keyboard.press('[')
  await isAt(/^start$/)
  // What has to be there stays, and its menu says so.
  const told = page.getByRole('status').filter({ hasText: 'This node has to be there, and only once.' })
  for (const [at, key] of ['Delete', 'Control+d', 'Control+x'].entries()) {
    await page.keyboard.press(key)
    await expect.poll(() => told.count()).toBe(at + 1)
  }
  await isAt(/^start$/)
  await on(page, 'start').click({ button: 'right' })
  for (const name of [/^Cut/, /^Duplicate/, /^Delete/]) {
    expect(await page.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true')
    expect(await page.getByRole('menuitem', { name }).getAttribute('title')).toBe('This node has to be there, and only once.')
  }
  await page.keyboard.press('Escape')
  await on(page, 'one').click({ button: 'right' })
  expect(await page.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe(null)
})

test('after a run each node shows its state, its time and how often it ran; the way taken is lit and the rest dimmed', async () => {
  const { id } = await store(lockgate, parted('Lit', 'Echo?', 'await sleep(20)'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.getByRole('tab', { name: 'Run', exact: true }).click()
  await lockgate.call('fixture', 'echo', {})
  await on(page, 'yes').locator('[data-state="completed"]').waitFor()
  await on(page, 'yes').getByText(/^\d+ ms$/).waitFor()
  await lockgate.call('fixture', 'plain', {})
  await on(page, 'yes').locator('[data-state="skipped"]').waitFor()
  await on(page, 'call').getByText('×2').waitFor()
  const lit = (edge: string) => page.locator(`.react-flow__edge[data-id="${edge}"] .react-flow__edge-path`).getAttribute('class')
  await eventually('the way of false is lit', async () => (await lit('c'))?.includes('is-lit'))
  expect(await lit('b')).toContain('is-dim')
  await shot(page, 'editor-lit')
  await lockgate.api('POST', `api/workflows/${id}/disable`)
})

test('moving a node by keyboard is told in Japanese', async () => {
  const { id } = await store(lockgate, line('Moved'))
  const page = await open(lockgate, `#/workflows/${id}`, { language: 'ja' })
  await on(page, 'call').click()
  await on(page, 'call').focus()
  await page.keyboard.press('ArrowRight')
  await page.locator('[aria-live="assertive"]').getByText(/から右へ動かしました。$/).waitFor({ state: 'attached' })
})

for (const language of ['en', 'ja'] as const) {
  test(`what start, call and end are for can be read whole, ${language}`, async () => {
    const { id } = await store(lockgate, line(`Read ${language}`))
    const page = await open(lockgate, `#/workflows/${id}`, { language })
    await ready(page)
    const cut = await page.locator('.react-flow__node span.truncate').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
    expect(cut).toEqual([])
  })
}

test('an edge is drawn and named whatever its output is called, and one that leaves no output can be taken away', async () => {
  const { nodes, edges } = line('Of another editor', [hook('one', 250, 'return')]) as { nodes: object[]; edges: { source: string }[] }
  const called = edges.map((edge) => ({ ...edge, sourceHandle: `${edge.source}-source-right` }))
  const { id } = await store(lockgate, { ...line('Of another editor'), nodes, edges: [...called, { id: 'stray', source: 'end', target: 'one' }] })
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await hasEdges(page, 3)
  await on(page, 'one').click()
  await page.getByRole('region', { name: 'Next' }).getByRole('button', { name: 'call', exact: true }).waitFor()
  await on(page, 'end').click()
  await page.getByRole('region', { name: 'Next' }).getByRole('button', { name: /one/ }).last().click()
  await page.getByRole('textbox', { name: 'Label' }).fill('One')
  await page.keyboard.press('Control+s')
  const saved = await eventually('it is saved', async () => {
    const now = await stored(lockgate, id)
    return now.edges.length === 3 && now
  })
  // Names stay as they were stored.
  expect(saved.edges.map(({ sourceHandle }) => sourceHandle)).toEqual(['start-source-right', 'one-source-right', 'call-source-right'])
})
