// Lists and maps in the form of a tool, filled in as people do: key by key, and in another order afterwards.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, gateway, hard, open, type Gateway } from './support'

let running: Gateway
beforeAll(async () => {
  running = await gateway({ servers: [hard] })
})
afterAll(() => running.stop())

const field = (page: Page, place: string) => page.locator(`[data-field="${place}"]`)
const view = (page: Page, name: 'Form' | 'JSON') => page.getByRole('region', { name: 'Arguments' }).getByText(name, { exact: true }).click()

/** The form of the tool with lists and maps, with these arguments in it. */
async function rows(args: object): Promise<Page> {
  const page = await open(running, '#/tools?server=hard&tool=rows')
  await view(page, 'JSON')
  await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill(JSON.stringify(args))
  await view(page, 'Form')
  return page
}

/** The arguments that the form holds. */
async function held(page: Page): Promise<unknown> {
  await view(page, 'JSON')
  const text = await page.getByRole('textbox', { name: 'Arguments as JSON' }).innerText()
  await view(page, 'Form')
  return JSON.parse(text)
}

test('a number of a list or a map that is emptied keeps its place, and the next key goes into it', async () => {
  const page = await rows({ numbers: [1, 2, 3], scores: { a: 1, b: 2 } })
  for (const [place, keys] of [['/numbers/0', '5'], ['/numbers/2', '９'], ['/scores/a', '7.5']] as const) {
    await field(page, place).getByRole('textbox').last().press('End')
    await page.keyboard.press('Backspace')
    await page.keyboard.type(keys)
  }
  expect(await held(page)).toEqual({ numbers: [5, 2, 9], scores: { a: 7.5, b: 2 } })
})

test('an emptied number of a list is not sent before it is filled in', async () => {
  const page = await rows({ numbers: [1, 2] })
  await field(page, '/numbers/1').getByRole('textbox').press('End')
  await page.keyboard.press('Backspace')
  expect(await field(page, '/numbers/1').getByRole('textbox').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Finish the marked fields first').first().waitFor()
})

const pick = async (page: Page, control: string, option: string) => {
  await page.getByRole('combobox', { name: `Variant: ${control}`, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const chosen = (page: Page, control: string) => page.getByRole('combobox', { name: `Variant: ${control}`, exact: true }).innerText()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

test('what was chosen for an item goes with it when items are removed and moved', async () => {
  const page = await rows({ several: ['a', 'b', 'c'] })
  await pick(page, 'Item 1', 'object')
  await press(page, 'Remove: Item 1')
  expect([await chosen(page, 'Item 1'), await chosen(page, 'Item 2')]).toEqual(['string', 'string'])
  expect(await held(page)).toEqual({ several: ['b', 'c'] })

  // What an item was before it became something else comes back with the item alone.
  await pick(page, 'Item 1', 'integer')
  await field(page, '/several/0').getByRole('textbox').pressSequentially('-4.25')
  expect(await held(page)).toEqual({ several: [-4.25, 'c'] })
  await press(page, 'Move down: Item 1')
  expect([await chosen(page, 'Item 1'), await chosen(page, 'Item 2')]).toEqual(['string', 'integer'])
  await pick(page, 'Item 2', 'string')
  expect(await held(page)).toEqual({ several: ['c', 'b'] })
})

test('a number that may be something else too is typed key by key, and again once it is emptied', async () => {
  const page = await rows({ several: [7, 'x'], map: { a: 7 }, either: 7 })
  for (const [place, typed] of [['/several/0', '4.5'], ['/map/a', '-3'], ['/either', '1e2']] as const) {
    const box = field(page, place).getByRole('textbox').last()
    await box.press('End')
    await page.keyboard.press('Backspace')
    await page.keyboard.type(typed)
    expect([await box.inputValue(), await field(page, place).getByRole('combobox').innerText()]).toEqual([typed, 'integer'])
  }
  expect(await held(page)).toEqual({ several: [4.5, 'x'], map: { a: -3 }, either: 100 })

  // What only looks like a number is still in its field, and so is half of one.
  await pick(page, 'Item 2', 'integer')
  const wrong = field(page, '/several/1').getByRole('textbox')
  await wrong.pressSequentially('1o')
  const said = field(page, '/several/1').getByText('This is not a number.')
  expect((await wrong.getAttribute('aria-describedby'))?.split(' ')).toContain(await said.getAttribute('id'))
  expect(await chosen(page, 'Item 2')).toBe('integer')
  await press(page, 'Start over')
  await field(page, '/either').getByText('not set').waitFor()
  expect(await chosen(page, 'either')).toBe('string')
})

test('a field that is edited as JSON stays so where it goes, and a new one in its place does not', async () => {
  const page = await rows({ numbers: [1, 2], map: { a: 'x', b: 'y' } })
  const asJson = async (name: string) => {
    await press(page, `Options for ${name}`)
    await page.getByRole('menuitem', { name: 'Edit as JSON' }).click()
  }
  const isJson = (place: string) => field(page, place).getByPlaceholder('JSON').count()
  await asJson('Item 1')
  await press(page, 'Move down: Item 1')
  expect([await isJson('/numbers/0'), await isJson('/numbers/1')]).toEqual([0, 1])
  await press(page, 'Remove: Item 2')
  await field(page, '/numbers').getByRole('button', { name: 'Add item' }).click()
  expect(await isJson('/numbers/1')).toBe(0)

  await asJson('a')
  await page.getByRole('textbox', { name: 'Name: a' }).fill('c')
  await page.keyboard.press('Tab')
  await expect.poll(() => isJson('/map/c')).toBe(1)
  await press(page, 'Remove: c')
  await page.getByRole('textbox', { name: 'Name: b' }).fill('a')
  await page.keyboard.press('Tab')
  await field(page, '/map/a').waitFor()
  expect(await isJson('/map/a')).toBe(0)
})

test('a member that gets a name has nothing of the one that had it before', async () => {
  const page = await rows({ map: { a: 'x', b: 'y' } })
  await pick(page, 'a', 'integer')
  await field(page, '/map/a').getByRole('textbox').last().pressSequentially('5')
  // A row goes with its button, and by no second way.
  await press(page, 'Options for a')
  await page.getByRole('menuitem', { name: 'Edit as JSON' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Clear (not set)' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  // All rows go at once, with nothing said of each.
  await press(page, 'Options for map')
  await page.getByRole('menuitem', { name: 'Set to empty' }).click()
  const add = page.getByRole('group', { name: 'Other members' }).getByRole('textbox', { name: 'Name /map' })
  await add.fill('b')
  await add.press('Enter')
  await field(page, '/map/b').getByRole('textbox').last().fill('y')
  await page.getByRole('textbox', { name: 'Name: b' }).fill('a')
  await page.keyboard.press('Tab')
  await field(page, '/map/a').waitFor()
  expect(await chosen(page, 'a')).toBe('string')
  expect(await held(page)).toEqual({ map: { a: 'y' } })
})

test('what is copied as curl works in a terminal, whatever the tool is called and whatever it is given', async () => {
  const deep = `${'{"a":'.repeat(12)}1${'}'.repeat(12)}`
  const [long, longest] = [103_000, 140_000].map((length) => `{"a":"${"it's $HOME ".repeat(length / 11)}"}`) as [string, string]
  for (const [tool, args] of [['rows', '{"numbers":[1]}'], ['sl/ash, dots.in it, 名前', '{"q":"it\'s"}'], ['rows', '{"__proto__":{"a":1.50}}'], ['rows', deep], ['rows', long], ['rows', longest]] as const) {
    const page = await open(running, `#/tools?server=hard&tool=${encodeURIComponent(tool)}`)
    await view(page, 'JSON')
    await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill(args)
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('The curl command is on the clipboard').first().waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    const script = join(running.folder, 'call.sh')
    await writeFile(script, command)
    const { stdout } = await promisify(execFile)('sh', [script])
    // Over MCP the arguments come back as a text inside the JSON.
    expect(stdout.replaceAll('\\', '')).toContain(args)
  }
})

test.each([
  ['en', 'The file is too large', 'At most 700 KB fit here.'],
  ['ja', 'ファイルが大きすぎます', '最大 700 KB まで入ります。'],
] as const)('in %s, a file that is too large is said to be so, and one that fits is filled in', async (language, title, text) => {
  const page = await open(running, '#/tools?server=hard&tool=rows', { language })
  const give = async (size: number) => {
    const chooser = page.waitForEvent('filechooser')
    await field(page, '/file').getByRole('button', { name: /^(Choose a file|ファイルを選択)/ }).click()
    await (await chooser).setFiles({ name: 'x.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(size, 65) })
  }
  await give(700_001)
  await page.getByRole('status').filter({ hasText: title }).filter({ hasText: text }).first().waitFor()
  expect(await field(page, '/file').getByRole('textbox').inputValue()).toBe('')
  await give(3)
  await expect.poll(() => field(page, '/file').getByRole('textbox').inputValue()).toBe('QUFB')
})

test('an argument whose name is empty or blank has a label that says so', async () => {
  const page = await rows({ '': 'x', map: { '': 'y' } })
  expect(await page.getByLabel('""', { exact: true }).first().inputValue()).toBe('x')
  await page.getByLabel('" "', { exact: true }).pressSequentially('3')
  await page.getByRole('button', { name: 'Options for ""' }).first().waitFor()
  await axe(page)
  expect(await held(page)).toEqual({ '': 'x', map: { '': 'y' }, ' ': 3 })
})
