import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { hook, line, on, ready, store, type Stored, stored } from './workflow-graphs'

let lockgate: Gateway
let plugins: string

beforeAll(async () => {
  plugins = await mkdtemp(join(tmpdir(), 'lockgate-plugins-'))
  const stamp = {
    name: 'stamp',
    label: 'Stamp',
    description: 'Writes a word into the arguments.',
    inputs: 1,
    outputs: 'many',
    phase: 'pre',
    schema: { type: 'object', required: ['word'], properties: { word: { type: 'string' }, times: { type: 'integer' }, ratio: { type: 'number' }, extra: { type: 'object' } } },
    script: 'context.request.params.arguments.stamp = context.data.word',
  }
  await writeFile(join(plugins, 'stamp.json'), JSON.stringify(stamp))
  lockgate = await gateway({ servers: [fixture], config: { plugins: { folder: plugins } } })
})
afterAll(async () => {
  await lockgate.stop()
  await rm(plugins, { recursive: true, force: true })
})

const all = () => lockgate.api<Stored[]>('GET', 'api/workflows')

test('one workflow of each type is chosen, or none, and what cannot be active says why', async () => {
  const empty = await open(lockgate, '#/workflows')
  await empty.getByRole('heading', { name: 'No workflows yet' }).waitFor()
  await axe(empty)
  const one = await store(lockgate, line('First', [hook('a', 250, 'return')]))
  const two = await store(lockgate, line('Second'))
  await store(lockgate, { ...line('Unfinished'), edges: [] })
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('radio', { name: /First/ }).click()
  await eventually('the first is active', async () => (await stored(lockgate, one.id)).enabled)
  await page.getByRole('radio', { name: /Second/ }).click()
  await eventually('the second took its place', async () => {
    const [a, b] = [await stored(lockgate, one.id), await stored(lockgate, two.id)]
    return !a.enabled && b.enabled
  })
  expect(await page.getByRole('radio', { name: /Unfinished/ }).isDisabled()).toBe(true)
  await page.getByText('Cannot be active: No path from Start to MCP Call').waitFor()
  await shot(page, 'workflows')
  await page.getByRole('radiogroup', { name: 'Calls of tools' }).getByRole('radio', { name: 'None' }).click()
  await eventually('none is active', async () => (await all()).every((workflow) => !workflow.enabled))
})

test('a reason stays in its card, and a label in it turns nothing but itself', async () => {
  const labelled = (label: string) => {
    const broken = hook('odd', 250, 'return (')
    return line(`Odd ${label.length}`, [{ ...broken, data: { ...broken.data, label } }])
  }
  const made = [await store(lockgate, labelled('x'.repeat(180))), await store(lockgate, labelled('\u202eעברית'))]
  const page = await open(lockgate, '#/workflows', { size: { width: 420, height: 900 } })
  const [long, turned] = await Promise.all(made.map(({ name }) => page.locator('li').filter({ hasText: name }).locator('p').elementHandle()))
  expect(await long?.evaluate((text) => text.scrollWidth <= text.clientWidth)).toBe(true)
  const lefts = await turned?.evaluate((text) => {
    const node = text.firstChild as Text
    const left = (at: number) => {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      return range.getBoundingClientRect().left
    }
    const at = node.data.indexOf('compile')
    return [left(at), left(at + 'compil'.length)]
  })
  expect(lefts?.[0]).toBeLessThan(lefts?.[1] ?? 0)
  await Promise.all(made.map(({ id }) => lockgate.api('DELETE', `api/workflows/${id}`)))
})

test('a workflow is exported, deleted and imported again', async () => {
  const { nodes, edges } = await store(lockgate, line('Travels', [hook('kept', 250, 'return // kept')]))
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('button', { name: 'More for “Travels”' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export' }).click()
  const file = await (await download).path()
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ name: 'Travels', nodes, edges })
  await page.getByRole('button', { name: 'More for “Travels”' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'Travels' }).waitFor({ state: 'detached' })
  await page.locator('input[type="file"]').setInputFiles({ name: 'travels.json', mimeType: 'application/json', buffer: await readFile(file) })
  await page.getByRole('link', { name: 'Travels' }).waitFor()
  expect((await all()).find(({ name }) => name === 'Travels')).toMatchObject({ nodes, edges, enabled: false })
})

test('a template asks for its parameters and makes a workflow', async () => {
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('button', { name: 'New workflow' }).first().click()
  await page.getByRole('button', { name: /^Allow-list/ }).click()
  await page.getByLabel(/^tools/).fill('echo\nplain')
  await page.getByRole('button', { name: 'Create' }).click()
  await ready(page)
  const made = (await all()).find(({ name }) => name === 'Allow-list')
  expect(JSON.stringify(made?.nodes)).toContain('plain')
})

test('templates that come with the product speak Japanese too', async () => {
  const shipped = (await lockgate.api<{ source: string; name: string; description: string }[]>('GET', 'api/templates')).filter(({ source }) => source === 'shipped')
  const page = await open(lockgate, '#/workflows', { language: 'ja' })
  await page.getByRole('button', { name: '新規ワークフロー' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^許可リスト/ }).waitFor()
  const text = await dialog.innerText()
  for (const { name, description } of shipped) expect([text.includes(name), text.includes(description)], name).toEqual([false, false])
  await dialog.getByRole('button', { name: /^許可リスト/ }).click()
  await dialog.getByText('呼び出しを許可するツールの名前').waitFor()
})

test('a workflow is saved as a template, and the template makes another one', async () => {
  await store(lockgate, line('Worth keeping', [hook('kept', 250, 'return // kept')]))
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('button', { name: 'More for “Worth keeping”' }).click()
  await page.getByRole('menuitem', { name: 'Save as template' }).click()
  await page.getByText('“Worth keeping” is a template now.').first().waitFor()
  await page.getByRole('button', { name: 'New workflow' }).first().click()
  await page.getByRole('button', { name: /^Worth keeping/ }).click()
  await page.getByLabel(/^Name/).fill('Made again')
  await page.getByRole('button', { name: 'Create' }).click()
  await ready(page)
  expect(JSON.stringify((await all()).find(({ name }) => name === 'Made again')?.nodes)).toContain('// kept')
})

test('a template of one’s own is deleted when that is confirmed', async () => {
  const { id } = await store(lockgate, line('Not for long'))
  await lockgate.api('POST', 'api/templates', { workflowId: id })
  const left = async () => (await lockgate.api<{ name: string }[]>('GET', 'api/templates')).some(({ name }) => name === 'Not for long')
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('button', { name: 'New workflow' }).first().click()
  const deletes = page.getByRole('button', { name: 'Delete the template “Not for long”' })
  await deletes.click()
  const question = page.getByRole('dialog', { name: 'Delete “Not for long”?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await left()).toBe(true)
  await deletes.click()
  await axe(page)
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('“Not for long” was deleted.').first().waitFor()
  expect(await left()).toBe(false)
  await page.getByRole('dialog', { name: 'New workflow' }).waitFor()
})

test('the node of a plug-in has a form from its schema', async () => {
  const { id } = await store(lockgate, line('With a plug-in'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await on(page, 'start').click()
  await page.getByRole('button', { name: 'Add: Stamp' }).click()
  await page.getByLabel(/^word/).fill('seen')
  await page.getByLabel(/^times/).pressSequentially('3')
  await page.getByLabel(/^ratio/).pressSequentially('1.05')
  await page.getByLabel(/^extra/).fill('{"a": 1}')
  await page.keyboard.press('Control+s')
  await eventually('it is saved', async () => (await stored(lockgate, id)).nodes.length === 4)
  const node = (await stored(lockgate, id)).nodes.find(({ type }) => type === 'stamp')
  expect(node?.data).toMatchObject({ word: 'seen', times: 3, ratio: 1.05, extra: { a: 1 } })

  // What is no number is kept as it was typed, told, and not stored.
  const ratio = page.getByLabel(/^ratio/)
  await ratio.press('End')
  await ratio.pressSequentially('-2')
  await page.getByText('This is not a number.').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('status').filter({ hasText: 'Not saved yet' }).first().waitFor()
  await on(page, 'start').click()
  await on(page, node?.id ?? '').click()
  expect(await ratio.inputValue()).toBe('1.05-2')
  await page.getByRole('tab', { name: /Problems/ }).click()
  await page.getByText('“Stamp” has a value that cannot be read yet.').last().waitFor()
  expect((await stored(lockgate, id)).revision).toBe(2)
})

test('a text of a plug-in node that is no text is shown as it is, and said to be none', async () => {
  const stamp = { id: 's', type: 'stamp', position: { x: 250, y: 0 }, data: { label: 'Stamp', word: 5 } }
  const { id } = await store(lockgate, line('No text', [stamp]))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await on(page, 's').click()
  const word = page.getByLabel(/^word/)
  expect(await word.inputValue()).toBe('5')
  await page.getByText('This is not a text.').waitFor()
  await word.fill('five')
  await page.getByText('This is not a text.').waitFor({ state: 'detached' })
})

test('a session workflow is drawn with activities, one line from start to end', async () => {
  await lockgate.api('POST', 'api/activities', { name: 'score', description: 'Scores', run: { script: 'return { data: { ok: true } }' } })
  await lockgate.api('POST', 'api/activities', { name: 'report', description: 'Reports', run: { script: 'return { data: {} }' } })
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('button', { name: 'New workflow' }).first().click()
  await page.getByRole('button', { name: /^Blank/ }).click()
  await page.getByLabel(/^Name/).fill('intake')
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Sessions' }).click()
  await page.getByRole('combobox', { name: /First activity/ }).click()
  await page.getByRole('option', { name: 'score' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await ready(page)
  expect(await page.getByRole('button', { name: 'Add: Hook' }).count()).toBe(0)
  await on(page, 'step-1').click()
  await page.getByRole('button', { name: 'Add: Activity' }).click()
  await page.getByLabel('Activity', { exact: true }).fill('report')
  await page.getByRole('switch', { name: 'Optional' }).click()
  await page.keyboard.press('Control+s')
  const saved = await eventually('the second step is saved', async () => {
    const found = (await all()).find(({ name }) => name === 'intake')
    return found?.nodes.length === 4 && found
  })
  const steps = saved.nodes.filter(({ type }) => type === 'activity').map(({ data }) => data['step'])
  expect(steps).toEqual([{ activity: 'score' }, { activity: 'report', optional: true }])
  await page.getByRole('switch', { name: 'Active' }).click()
  await eventually('it is active', async () => (await stored(lockgate, saved.id)).enabled)
})

test('an older version is looked at, loaded into the editor, and saved as the newest', async () => {
  const { id } = await store(lockgate, line('As it was', [hook('gone', 250, 'return')]))
  await lockgate.api('PATCH', `api/workflows/${id}`, line('As it is'))
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  expect(await on(page, 'gone').count()).toBe(0)
  await page.getByRole('button', { name: 'Versions' }).click()
  const dialog = page.getByRole('dialog', { name: 'Versions' })
  await dialog.getByRole('button', { name: /Version 1/ }).click()
  await dialog.locator('.react-flow__node[data-id="gone"]').waitFor()
  await axe(page)
  await shot(page, 'editor-versions')
  await dialog.getByRole('button', { name: 'Load into the editor' }).click()
  await on(page, 'gone').waitFor()
  await page.getByText('Not saved', { exact: true }).waitFor()
  await page.keyboard.press('Control+s')
  await eventually('it is the newest', async () => (await stored(lockgate, id)).revision === 3)
  expect((await stored(lockgate, id)).name).toBe('As it was')
})

test('two workflows of one name, and two nodes of one label, are told apart', async () => {
  const twins = [hook('hook-a', 250, 'return 1'), hook('hook-b', 500, 'return 2')].map((one) => ({ ...one, data: { ...one.data, label: 'Hook' } }))
  const [first, second] = [await store(lockgate, line('Twin', twins)), await store(lockgate, line('Twin'))]
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('radio', { name: new RegExp(`Twin.*${second.id.slice(0, 8)}`) }).click()
  await eventually('the second is active', async () => (await stored(lockgate, second.id)).enabled)
  expect((await stored(lockgate, first.id)).enabled).toBe(false)
  await lockgate.api('POST', `api/workflows/${second.id}/disable`)
  const runs = await open(lockgate, `#/runs?workflow=${first.id}`)
  await runs.getByRole('combobox', { name: 'Workflow' }).getByText(first.id.slice(0, 8)).waitFor()
  const editor = await open(lockgate, `#/workflows/${first.id}`)
  await ready(editor)
  await on(editor, 'call').click()
  await editor.keyboard.press('/')
  await editor.getByRole('option', { name: /Hook \(hook-b\)/ }).click()
  await editor.locator('.react-flow__node.selected[data-id="hook-b"]').waitFor()
})
