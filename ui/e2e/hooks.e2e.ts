import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Page, Route } from 'playwright-core'
import { axe, demo, eventually, fixture, gateway, open, profile, shot, type Gateway } from './support'

let running: Gateway

interface Hook {
  id: string
  name: string
  enabled: boolean
  script: string
}

beforeAll(async () => {
  running = await gateway({ servers: [demo, { ...fixture, name: 'test-server' }] })
})
afterAll(() => running.stop())
afterEach(async () => {
  for (const { id } of await running.api<Hook[]>('GET', 'api/hooks')) await running.api('DELETE', `api/hooks/${id}`)
})

const make = (name: string, script = 'return', more = {}) => running.api<Hook>('POST', 'api/hooks', { name, hookType: 'pre', script, ...more })
const names = async () => (await running.api<Hook[]>('GET', 'api/hooks')).map((hook) => hook.name)
const visit = async (path = '#/hooks', options = {}): Promise<Page> => {
  const page = await open(running, path, options)
  await page.getByRole('heading', { level: 1, name: /^(Hooks|フック)$/ }).waitFor()
  return page
}
const write = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: 'Script of the hook' }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}
const add = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'New hook' }).first().click()
  await page.getByRole('menuitem', { name: item }).click()
}
const order = (page: Page) => page.locator('[data-hook]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-hook')))

test('a hook is written, tried on a captured call, enabled, and changes a call', async () => {
  await running.call('test-server', 'echo', { q: 1 })
  const page = await visit()
  await page.getByText('No hooks yet').waitFor()
  await add(page, 'Empty script')
  await page.getByRole('textbox', { name: 'Name' }).fill('speak Japanese')
  await write(page, 'if (context.toolName === "echo") {\n  console.log("seen", context.toolName)\n  context.request.params.arguments.lang = "ja"\n}')
  await page.getByRole('searchbox', { name: 'Filter by tool' }).fill('echo')
  await page.getByRole('button', { name: /^echo/ }).first().click()
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.locator('[data-outcome="changed"]').waitFor()
  const change = page.locator('[data-change=".request.params.arguments.lang"]')
  expect(await change.textContent()).toContain('"ja"')
  const trial = page.locator('[data-outcome="changed"]')
  expect(await trial.locator('dt:text-is("Outcome") + dd').innerText()).toMatch(/changed/i)
  expect(await trial.locator('dt:text-is("Time") + dd').innerText()).toMatch(/^[\d.]+ m?s$/)
  expect(await trial.locator('dt:text-is("Memory") + dd').innerText()).toMatch(/^[\d.]+ [KM]?B$/)
  await page.getByRole('tab', { name: 'Console (1)' }).click()
  await page.getByText('seen echo').waitFor()
  expect(await running.call('test-server', 'echo', { q: 1 })).toEqual({ success: true, result: { q: 1 } })

  await page.getByRole('button', { name: 'Save as test case' }).click()
  await page.getByText('Test case saved in this browser').first().waitFor()
  await page.getByRole('button', { name: 'Save and enable' }).click()
  await page.getByText('The case passes').first().waitFor()
  await page.getByText('enabled', { exact: true }).waitFor()
  expect(await running.call('test-server', 'echo', { q: 1 })).toEqual({ success: true, result: { q: 1, lang: 'ja' } })
  await page.locator('[data-hook="speak Japanese"]').getByText('1 run').waitFor()
  await page.locator('[data-hook="speak Japanese"]').getByText(/p95 .*ms/).waitFor()
  await shot(page, 'hooks-written')
})

test('cases run before a hook is enabled, and a failing one asks first', async () => {
  const hook = await make('guarded', 'context.request.params.arguments.a = 1', { enabled: false })
  const page = await visit(`#/hooks?id=${hook.id}`)
  await page.getByRole('button', { name: 'A context of your own' }).click()
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.locator('[data-outcome="changed"]').waitFor()
  await page.getByRole('textbox', { name: 'Name of the case' }).fill('adds a')
  await page.getByRole('button', { name: 'Save as test case' }).click()
  await write(page, 'context.request.params.arguments.a = 2')
  await page.getByRole('tab', { name: 'Test cases (1)' }).click()
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText('1 of 1 cases fail').waitFor()
  await page.getByRole('button', { name: 'Save and enable' }).click()
  const dialog = page.getByRole('dialog', { name: 'Some test cases fail' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await running.api<Hook>('GET', `api/hooks/${hook.id}`)).enabled).toBe(false)
  await page.getByRole('button', { name: 'Accept as expected' }).click()
  await page.getByText('The case passes').first().waitFor()
  await page.getByRole('button', { name: 'Save and enable' }).click()
  await eventually('the hook is enabled', async () => (await running.api<Hook>('GET', `api/hooks/${hook.id}`)).enabled)
  await write(page, 'context.request.params.arguments.a = 3')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog', { name: 'Some test cases fail' }).getByRole('button', { name: 'Save anyway' }).click()
  await eventually('the script is saved', async () => (await running.api<Hook>('GET', `api/hooks/${hook.id}`)).script.includes('= 3'))
})

test('a trial has the limits of the real run: a script without end is stopped, and nothing else is', async () => {
  const hook = await make('endless', 'while (true) {}', { enabled: false })
  const page = await visit(`#/hooks?id=${hook.id}`)
  await page.getByRole('button', { name: 'A context of your own' }).click()
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.locator('[data-outcome="failed"]').waitFor()
  await page.locator('[data-outcome="failed"]').getByText(/SCRIPT_TIMEOUT|time/i).first().waitFor()
  expect(await running.call('test-server', 'echo', { q: 1 })).toEqual({ success: true, result: { q: 1 } })
})

test('when a hook runs is chosen in the editor, and the switch of the list turns it on', async () => {
  const hook = await make('phases', 'return', { enabled: false })
  const page = await visit(`#/hooks?id=${hook.id}`)
  for (const type of ['post', 'both', 'pre'] as const) {
    await page.getByRole('combobox', { name: 'Runs' }).click()
    await page.getByRole('option', { name: new RegExp(`\\(${type}\\)`) }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(`it runs ${type}`, async () => (await running.api<{ hookType: string }>('GET', `api/hooks/${hook.id}`)).hookType === type)
  }
  await page.getByRole('switch', { name: /phases/ }).click()
  await eventually('it is enabled', async () => (await running.api<Hook>('GET', `api/hooks/${hook.id}`)).enabled)
})

test('hooks are put in order by keyboard, by pointer and by buttons', async () => {
  for (const name of ['one', 'two', 'three']) await make(name)
  const page = await visit()
  await page.getByRole('button', { name: 'Drag three' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('three is at position 3 of 3.').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowUp')
  await page.getByText('three is at position 2 of 3.').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowUp')
  await page.getByText('three is at position 1 of 3.').waitFor({ state: 'attached' })
  await page.keyboard.press('Space')
  await eventually('the order by keyboard', async () => (await names()).join() === 'three,one,two')
  expect(await order(page)).toEqual(['three', 'one', 'two'])

  await page.getByRole('button', { name: 'Move one down' }).click()
  await eventually('the order by button', async () => (await names()).join() === 'three,two,one')

  const [from, to] = await Promise.all(['Drag one', 'Drag three'].map((name) => page.getByRole('button', { name }).boundingBox()))
  if (!from || !to) throw new Error('no handles')
  await page.mouse.move(from.x + 8, from.y + 8)
  await page.mouse.down()
  await page.mouse.move(to.x + 8, to.y + 4, { steps: 12 })
  await page.mouse.up()
  await eventually('the order by pointer', async () => (await names()).join() === 'one,three,two')
})

test('syntax errors are told with line and column, and names are completed', async () => {
  const hook = await make('typo')
  const page = await visit(`#/hooks?id=${hook.id}`)
  await write(page, 'const a = 1\nreturn {{')
  await page.locator('[data-syntax="bad"]').waitFor()
  expect(await page.locator('[data-syntax]').textContent()).toMatch(/^Syntax error, line 2, column \d+: (?!SyntaxError)/)
  await page.locator('.cm-lint-marker-error').waitFor()
  await write(page, '')
  await page.keyboard.type('context.requ')
  const list = page.locator('.cm-tooltip-autocomplete')
  await list.getByText('requestType', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type('estType === "')
  await list.getByText('CallTool').waitFor()
})

test('in Japanese the code editor and the messages speak Japanese too', async () => {
  const hook = await make('words')
  const page = await visit(`#/hooks?id=${hook.id}`, { language: 'ja' })
  await page.locator('.cm-content').first().click()
  await page.keyboard.press('Control+f')
  const panel = page.locator('.cm-search')
  await panel.getByRole('button', { name: '次へ' }).waitFor()
  expect(await panel.textContent()).not.toMatch(/[a-z]{2}/)
  expect(await panel.getByRole('textbox').first().getAttribute('aria-label')).toBe('検索')
  expect(await page.getByRole('region', { name: '通知 (F8)' }).count()).toBe(1)
})

test('what is not saved survives other hooks, a reload and a second change by somebody else', async () => {
  const [first, second] = [await make('first', 'return 1 ? undefined : 1'), await make('second')]
  const page = await visit(`#/hooks?id=${first.id}`)
  await write(page, '// mine')
  await page.locator('[data-hook="second"]').getByRole('button', { name: /^second/ }).click()
  await page.getByRole('heading', { name: 'second', level: 2 }).waitFor()
  expect(await page.locator('[data-hook="first"]').getByText('unsaved').count()).toBe(1)
  await page.goto(`${running.url}#/hooks?id=${first.id}`)
  await page.reload()
  await page.getByText('These changes are not saved yet').waitFor()
  expect(await page.getByRole('textbox', { name: 'Script of the hook' }).textContent()).toBe('// mine')

  await running.api('PATCH', `api/hooks/${first.id}`, { script: '// theirs' })
  await page.getByText('Somebody else changed this hook').waitFor()
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('dialog').getByText('// theirs').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  expect((await running.api<Hook>('GET', `api/hooks/${first.id}`)).script).toBe('// mine')
  expect((await running.api<Hook>('GET', `api/hooks/${second.id}`)).script).toBe('return')
})

test('a save that comes in between is met, not overwritten; another place in the list is no conflict', async () => {
  const [hook, other] = [await make('contested'), await make('beside')]
  const page = await visit(`#/hooks?id=${hook.id}`, { allow: /409/ })
  await write(page, '// mine')
  // Between the look at what is stored and the save, somebody else does something.
  let meanwhile: (() => Promise<unknown>) | null = () => running.api('PATCH', `api/hooks/${hook.id}`, { script: '// theirs' })
  await page.route(`**/api/hooks/${hook.id}`, async (route) => {
    if (route.request().method() === 'PATCH' && meanwhile) {
      const act = meanwhile
      meanwhile = null
      await act()
    }
    await route.continue()
  })
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  await page.getByRole('button', { name: 'Keep mine' }).waitFor()
  expect((await running.api<Hook>('GET', `api/hooks/${hook.id}`)).script).toBe('// theirs')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  meanwhile = async () => {
    const ids = (await running.api<Hook[]>('GET', 'api/hooks')).map(({ id }) => id).filter((id) => id !== other.id)
    await running.api('POST', 'api/hooks/reorder', { ids: [other.id, ...ids] })
  }
  await save.click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  expect((await running.api<Hook>('GET', `api/hooks/${hook.id}`)).script).toBe('// mine')
})

test('edits of a hook that somebody deletes are told to be the last of it', async () => {
  const hook = await make('deleted')
  const page = await visit(`#/hooks?id=${hook.id}`)
  await write(page, '// mine')
  await running.api('DELETE', `api/hooks/${hook.id}`)
  await page.getByRole('alert').filter({ hasText: 'Somebody deleted this hook' }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  expect(await page.getByText('Somebody deleted this hook').count()).toBe(0)
})

test('a tripped hook says why and is reset', async () => {
  const hook = await make('tired', 'throw new Error("boom")')
  for (let i = 0; i < 10; i += 1) await running.call('test-server', 'echo', {})
  const page = await visit(`#/hooks?id=${hook.id}`)
  await page.locator('[data-hook="tired"]').getByText('tripped').waitFor()
  await page.locator('[data-hook="tired"]').getByText('10 errors').waitFor()
  await page.getByText('SCRIPT_ERROR: ').waitFor()
  await page.getByRole('button', { name: 'Forget the failures' }).click()
  await page.locator('[data-hook="tired"]').getByText('tripped').waitFor({ state: 'detached' })
})

test('one sees what runs for a tool', async () => {
  await running.call('test-server', 'echo', { v: 1 })
  await make('adds', 'context.request.params.arguments.extra = true')
  await make('asleep', 'return', { enabled: false })
  await make('masks', 'context.response = redact(context.response)', { hookType: 'post' })
  const page = await visit()
  await page.getByRole('button', { name: 'What runs for a tool?' }).click()
  await page.getByRole('combobox', { name: 'Tool' }).click()
  await page.getByRole('option', { name: 'test-server / echo' }).click()
  await page.getByRole('button', { name: 'Follow the call' }).click()
  const road = page.getByRole('list', { name: 'Follow the call' })
  await road.getByText('Back to the client').waitFor()
  expect(await road.locator('[data-change=".request.params.arguments.extra"]').count()).toBe(1)
  await road.getByText('pre · disabled, does not run').waitFor()
  await road.getByText('Server: test-server').waitFor()
  await axe(page)
  await shot(page, 'hooks-path')
  // The page hears nothing of a new hook before it follows the call, and follows it through that hook all the same.
  const held: Route[] = []
  await page.route('**/api/hooks', (route) => void held.push(route))
  await make('guard', 'return {continue: false, error: {message: "closed"}}')
  await page.getByRole('button', { name: 'Follow the call' }).click()
  await page.unroute('**/api/hooks')
  await Promise.all(held.map((route) => route.continue().catch(() => {})))
  await road.getByText('Ended by guard').waitFor()
  await road.getByText('closed').waitFor()
})

test.each([
  ['Redact secrets', { response: { content: [{ type: 'text', text: 'mail a@b.example, password=hunter2' }] } }, 'changed'],
  ['Allow and deny tools', { toolName: 'delete_all' }, 'blocked'],
  ['Add an argument', { toolName: 'fetch-weather' }, 'changed'],
  ['Filter the tool list', { request: { method: 'tools/list', params: {} }, requestType: 'ListTools', response: { tools: [{ name: 'internal_x' }, { name: 'public_y' }] } }, 'changed'],
  ['Log requests', {}, 'continue'],
])('the template "%s" does what it says', async (template, part, outcome) => {
  const page = await visit()
  await add(page, template)
  await page.locator('[data-syntax="good"]').waitFor()
  const context = { request: { method: 'tools/call', params: { name: 'x', arguments: {} } }, requestType: 'CallTool', toolName: 'x', metadata: { clientId: 'c', startTime: 1 }, ...part }
  await page.getByRole('button', { name: 'A context of your own' }).click()
  await page.getByRole('textbox', { name: 'Context as JSON' }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(JSON.stringify(context))
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.locator(`[data-outcome="${outcome}"]`).waitFor()
  if (template !== 'Redact secrets') return
  const left = await page.locator('[data-change] .bg-good-soft').textContent()
  expect(left).toContain('[redacted]')
  expect(left).not.toMatch(/hunter2|a@b/)
})

test('a list that is switched off says so', async () => {
  const quiet = await gateway({ config: { hooks: { list: { enabled: false } }, captures: { keep: 0 } } })
  onTestFinished(() => quiet.stop())
  await quiet.api('POST', 'api/hooks', { name: 'idle', hookType: 'pre', script: 'return' })
  const page = await open(quiet, '#/hooks')
  await page.getByText('hooks.list.enabled is false').waitFor()
  // Whoever chooses before it is known whether there are captures has chosen all the same.
  let release = () => {}
  const chosen = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/captures*', async (route) => {
    await chosen
    await route.continue()
  })
  await page.locator('[data-hook="idle"]').getByRole('button', { name: /^idle/ }).click()
  await page.getByRole('button', { name: 'A captured call' }).click()
  release()
  await page.getByText('captures.keep is 0').waitFor()
})

test('a hook is exported, deleted and imported again', async () => {
  const hook = await make('traveller', '// here')
  const page = await visit(`#/hooks?id=${hook.id}`)
  await page.getByRole('button', { name: 'More' }).first().click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export all' }).click()
  const file = await (await download).path()
  await page.getByRole('button', { name: 'More' }).last().click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No hooks yet').waitFor()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Import…' }).click()
  await (await chooser).setFiles({ name: 'hooks.json', mimeType: 'application/json', buffer: await (await import('node:fs/promises')).readFile(file) })
  await page.locator('[data-hook="traveller"]').waitFor()
})

test.each([
  ['en', 'light', { width: 1440, height: 900 }],
  ['en', 'dark', { width: 1024, height: 768 }],
  ['ja', 'light', { width: 1024, height: 768 }],
  ['ja', 'dark', { width: 1440, height: 900 }],
] as const)('the hooks page is accessible in %s, %s', async (language, theme, size) => {
  await running.call('test-server', 'echo', { q: 1 })
  await make('log', 'console.log(context.toolName)', { hookType: 'both' })
  const hook = await make('add language', 'context.request.params.arguments.lang = "ja"')
  await make('redact', 'context.response = redact(context.response)', { hookType: 'post', enabled: false })
  await running.call('test-server', 'echo', { q: 2 })
  const page = await visit(`#/hooks?id=${hook.id}`, { context: await profile({ language, theme, size }) })
  await page.locator('[data-syntax="good"]').waitFor()
  await page.getByRole('button', { name: /^echo/ }).first().click()
  await page.getByRole('button', { name: /^(Try|試す)$/ }).click()
  await page.locator('[data-outcome]').waitFor()
  await axe(page)
  await shot(page, `hooks-${language}-${theme}`)
  await page.getByRole('tab').nth(1).click()
  await axe(page)
})

test('in a long list a letter in the script draws no row anew, and another choice only few', async () => {
  const own = await gateway()
  onTestFinished(() => own.stop())
  const hooks = Array.from({ length: 120 }, (_, at) => ({ name: `hook ${at}`, hookType: 'pre', enabled: false, script: 'return' }))
  await own.api('POST', 'api/hooks/import', hooks)
  const page = await open(own, '#/hooks')
  await page.locator('[data-hook]').nth(119).waitFor()
  await page.locator('[data-hook="hook 3"]').getByRole('button', { name: /^hook 3/ }).click()
  const script = page.getByRole('textbox', { name: 'Script of the hook' })
  await script.fill('// a')
  await page.locator('[data-hook="hook 3"]').getByText('unsaved').waitFor()
  // Each row that is drawn looks for its place among the ids of all.
  await page.evaluate(() => {
    const counter = Object.assign(window, { drawn: 0 })
    const lists = Object.getPrototypeOf([]) as unknown[]
    const { indexOf } = lists
    lists.indexOf = function count(this: unknown[], ...values: [unknown, number?]) {
      if (this.length === 120) counter.drawn += 1
      return indexOf.apply(this, values)
    }
  })
  const drawn = () => page.evaluate(() => (window as unknown as { drawn: number }).drawn)
  await script.press('End')
  await script.press('x')
  await eventually('the letter is kept', () => page.evaluate(() => JSON.stringify({ ...localStorage }).includes('// ax')))
  expect(await drawn()).toBe(0)
  await page.locator('[data-hook="hook 5"]').getByRole('button', { name: /^hook 5/ }).click()
  await page.locator('[data-hook="hook 5"] [aria-current]').waitFor()
  expect(await drawn()).toBeGreaterThan(0)
  expect(await drawn()).toBeLessThan(40)
})
