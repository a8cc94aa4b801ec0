import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, eventually, gateway, hard, open, shot, type Gateway } from './support'

let running: Gateway

beforeAll(async () => {
  running = await gateway({ servers: [demo, hard] })
})
afterAll(() => running.stop())

const bench = async (tool: string, options = {}): Promise<Page> => {
  const page = await open(running, `#/tools?server=hard&tool=${tool}`, options)
  await page.getByRole('heading', { name: 'Arguments', level: 3 }).or(page.getByRole('heading', { name: '引数', level: 3 })).waitFor()
  return page
}
const field = (page: Page, place: string) => page.locator(`[data-field="${place}"]`)
const menu = async (page: Page, name: string, item: RegExp | string) => {
  await page.getByRole('button', { name: `Options for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const choose = async (page: Page, control: string, option: string) => {
  await page.getByRole('combobox', { name: control }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const run = async (page: Page) => {
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('[data-result]').waitFor()
}
/** The arguments as the server got them. */
const sent = async (page: Page): Promise<string> => {
  await run(page)
  await page.getByRole('tab', { name: 'Raw' }).click()
  const raw = await page.getByRole('region', { name: 'Raw' }).textContent()
  const reply = JSON.parse(raw ?? '') as { result: { content: { text: string }[] } }
  return reply.result.content[0]?.text ?? ''
}


test('unset, empty and null are three things, and digits are kept', async () => {
  const page = await bench('plain')
  expect(await field(page, '/note').locator('[data-is]').getAttribute('data-is')).toBe('unset')
  await field(page, '/name').getByRole('textbox').fill('Ada')
  await field(page, '/id').getByRole('textbox').fill('12345678901234567890')
  await field(page, '/ratio').getByRole('textbox').fill('1.50')
  expect(await sent(page)).toBe('{"version":"v1","name":"Ada","id":12345678901234567890,"ratio":1.50}')

  await menu(page, 'note', 'Set to null')
  expect(await field(page, '/note').locator('[data-is]').getAttribute('data-is')).toBe('null')
  await menu(page, 'id', 'Clear (not set)')
  await menu(page, 'ratio', 'Use default: 0.5')
  await field(page, '/active').getByText('false').click()
  await choose(page, 'color', 'green')
  await choose(page, 'level', 'High')
  expect(await sent(page)).toBe('{"version":"v1","name":"Ada","ratio":0.5,"note":null,"active":false,"color":"green","level":2}')

  await menu(page, 'note', 'Set to empty')
  expect(await field(page, '/note').locator('[data-is]').getAttribute('data-is')).toBe('empty')
  expect(JSON.parse(await sent(page))).toMatchObject({ note: '' })
  await menu(page, 'note', 'Clear (not set)')
  expect(JSON.parse(await sent(page))).not.toHaveProperty('note')
})

test('form and JSON hold the same; what the form cannot show is JSON for that field only', async () => {
  const page = await bench('plain')
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Arguments as JSON' })
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{"version":"v1","name":7,"id":98765432109876543210,"ratio":1e3,"stranger":[1.0],"note":"a\\r\\nb"}')
  await page.getByRole('button', { name: 'Form', exact: true }).click()
  expect(await field(page, '/name').getByText('The form cannot show this value').count()).toBe(1)
  expect(await field(page, '/id').getByRole('textbox').inputValue()).toBe('98765432109876543210')
  expect(await field(page, '/stranger').getByText('is not known to the tool').count()).toBe(1)
  await field(page, '/color').getByRole('combobox').click()
  await page.getByRole('option', { name: 'red' }).click()
  expect(await sent(page)).toBe('{"version":"v1","name":7,"id":98765432109876543210,"ratio":1e3,"stranger":[1.0],"note":"a\\r\\nb","color":"red"}')
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await editor.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' oops')
  await page.getByRole('button', { name: 'Form', exact: true }).click()
  await page.getByText('This is not JSON yet').first().waitFor()
  expect(await editor.textContent()).toContain('oops')
})

test('a choice at the root shows the form of each variant and keeps what was typed', async () => {
  const page = await bench('shapes')
  await field(page, '/label').getByRole('textbox').fill('mine')
  await field(page, '/radius').getByRole('textbox').fill('-1')
  await field(page, '/radius').getByText('must be more than 0').waitFor()
  await choose(page, 'Variant: Arguments', 'Polygon')
  expect(await field(page, '/label').getByRole('textbox').inputValue()).toBe('mine')
  await field(page, '/points').getByRole('button', { name: 'Set: points' }).click()
  await field(page, '/points').getByRole('button', { name: 'Add item' }).last().click()
  await field(page, '/points/0/0').getByRole('textbox').fill('1')
  await field(page, '/points/0/1').getByRole('textbox').fill('2')
  expect(await sent(page)).toBe('{"kind":"polygon","label":"mine","points":[[1,2]]}')
  await field(page, '/points').getByText('needs at least 3 items').waitFor()
  await choose(page, 'Variant: Arguments', 'Circle')
  expect(await field(page, '/radius').getByRole('textbox').inputValue()).toBe('-1')
})

test('a schema that contains itself opens as deep as one goes', async () => {
  const page = await bench('tree')
  await field(page, '/top/name').getByRole('textbox').fill('a')
  await field(page, '/top/children').getByRole('button', { name: 'Set: children' }).click()
  await field(page, '/top/children').getByRole('button', { name: 'Add item' }).click()
  await field(page, '/top/children/0/name').getByRole('textbox').fill('b')
  await field(page, '/top/children/0/children').getByRole('button', { name: 'Set: children' }).click()
  await field(page, '/top/children/0/children').getByRole('button', { name: 'Add item' }).click()
  await field(page, '/top/children/0/children/0/name').getByRole('textbox').fill('c')
  expect(await sent(page)).toBe('{"top":{"name":"a","children":[{"name":"b","children":[{"name":"c"}]}]}}')
})

test('merged schemas, maps, nullable objects and any JSON have fields of their own', async () => {
  const page = await bench('mixed')
  await field(page, '/size').getByRole('textbox').fill('12')
  await field(page, '/size').getByText('must be at most 9').waitFor()
  await field(page, '/size').getByRole('textbox').fill('5')
  await field(page, '/labels').getByRole('button', { name: 'Set: labels' }).click()
  await page.getByRole('textbox', { name: 'Name /labels' }).fill('team')
  await page.keyboard.press('Enter')
  await field(page, '/labels/team').getByRole('textbox').last().fill('core')
  await field(page, '/anything').getByRole('textbox').fill('[1, {"deep": nul')
  await field(page, '/anything').getByText('does not belong here').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Finish the marked fields first').first().waitFor()
  await field(page, '/anything').getByRole('textbox').fill('[1, {"deep": null}]')
  await choose(page, 'Variant: target', 'string[]')
  await field(page, '/target').getByRole('button', { name: 'Set: target' }).click()
  await field(page, '/target').getByRole('button', { name: 'Add item' }).click()
  await field(page, '/target/0').getByRole('textbox').fill('x')
  await menu(page, 'owner', 'Set to null')
  expect(await sent(page)).toBe('{"size":5,"labels":{"team":"core"},"anything":[1,{"deep":null}],"target":["x"],"owner":null}')
})

test('a result shows every part as what it is', async () => {
  const page = await bench('parts')
  await run(page)
  await page.getByText('Hello from a **text** part').waitFor()
  const image = page.getByRole('img', { name: 'Image in the result' })
  expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(8)
  expect(await page.locator('audio').count()).toBe(1)
  await page.getByText('Buy milk').waitFor()
  expect(await page.getByRole('link', { name: 'https://example.com/report' }).getAttribute('rel')).toContain('noopener')
  await page.getByText('Unknown kind').waitFor()
  for (const part of ['Server', 'Hooks', 'Gateway and network']) await page.locator(`[data-time="${part}"]`).waitFor()
  await axe(page)
  await shot(page, 'tools-parts')
})

test('a reply that breaks its output schema is told where', async () => {
  const page = await bench('liar')
  await run(page)
  await page.getByText('Does not match the output schema').waitFor()
  await page.getByText('must be integer').waitFor()
  await page.goto(`${running.url}#/tools?server=health-server&tool=fetch-weather`)
  await field(page, '/city').getByRole('textbox').fill('tokyo')
  await run(page)
  await page.getByText('Matches the output schema').waitFor()
  await page.getByRole('tab', { name: 'Structured' }).click()
  await page.getByRole('tabpanel', { name: 'Structured' }).getByText('"tokyo"').waitFor()
})

test('progress is shown as it comes, and cancel reaches the server', async () => {
  const page = await bench('slow')
  await field(page, '/steps').getByRole('textbox').fill('6')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('done after 6').waitFor()
  await field(page, '/steps').getByRole('textbox').fill('100000')
  await page.keyboard.press('Control+Enter')
  const told = page.getByText(/^step \d+$/)
  const early = await told.textContent()
  await eventually('more progress', async () => (await told.textContent()) !== early)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The server was told to stop.').waitFor()
  await page.goto(`${running.url}#/tools?server=hard&tool=wipe`)
  await field(page, '/path').getByRole('textbox').fill('/')
  await run(page)
  await page.getByText('cancelled so far: 1').waitFor()
})

test('a question of the server is answered in the page', async () => {
  const page = await bench('ask')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const asking = page.getByRole('group', { name: 'Questions of the server' })
  await asking.getByText('Who shall be greeted?').waitFor()
  await asking.locator('[data-field="/name"] textarea').fill('Ada')
  await axe(page)
  await shot(page, 'tools-asking')
  await asking.getByRole('button', { name: 'Send answer' }).click()
  await page.getByText('accept {"name":"Ada"}').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await asking.getByRole('button', { name: 'Decline' }).click()
  await page.getByText('decline null').waitFor()
})

test('history replays a call, and curl repeats it from a terminal', async () => {
  const page = await bench('plain')
  await field(page, '/name').getByRole('textbox').fill("it's me")
  await run(page)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('The curl command is on the clipboard').first().waitFor()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(command).toContain(String.raw`"name":"it'\''s me"`)
  expect(command).toContain('"server":"hard","toolName":"plain"')
  await page.reload()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('button', { name: 'Load the call of plain into the form' }).first().click()
  expect(await field(page, '/name').getByRole('textbox').inputValue()).toBe("it's me")
  await page.locator('[data-result="ok"]').waitFor()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('button', { name: 'Replay: plain' }).first().click()
  await page.locator('[data-result="ok"]').waitFor()
  await page.getByRole('tab', { name: 'History' }).click()
  expect(await page.getByRole('button', { name: 'Replay: plain' }).count()).toBe(2)
})

test('an error of the gateway says what happened', async () => {
  const page = await bench('plain')
  await field(page, '/name').getByRole('textbox').fill('x')
  await running.api('POST', 'api/hooks', { name: 'stop it', hookType: 'pre', script: 'if (context.toolName === "plain") return {continue: false, error: {code: "NO", message: "not today"}}' })
  await run(page)
  await page.getByText('not today').first().waitFor()
  expect(await page.locator('[data-result]').getAttribute('data-result')).toBe('error')
  for (const hook of await running.api<{ id: string }[]>('GET', 'api/hooks')) await running.api('DELETE', `api/hooks/${hook.id}`)
})

test('the time of hooks is told apart from the time of the server, also while others call', async () => {
  const hook = await running.api<{ id: string }>('POST', 'api/hooks', {
    name: 'dawdles', hookType: 'post', script: "if (context.metadata.clientId === 'lockgate-ui') await sleep(60)",
  })
  const traffic = { on: true }
  const others = (async () => {
    while (traffic.on) await running.call('hard', 'wipe', { path: '/other' })
  })()
  const page = await bench('wipe')
  await field(page, '/path').getByRole('textbox').fill('/')
  await run(page)
  const time = await page.locator('[data-time="Hooks"]').textContent()
  expect(Number(/(\d+) ms/.exec(time ?? '')?.[1])).toBeGreaterThanOrEqual(60)
  const ran = await page.getByRole('list', { name: 'Hooks that ran' }).getByRole('listitem').filter({ hasText: 'dawdles' }).textContent()
  expect(Number(/(\d+) ms/.exec(ran ?? '')?.[1])).toBeGreaterThanOrEqual(60)
  traffic.on = false
  await others
  await running.api('DELETE', `api/hooks/${hook.id}`)
})

test('the name of a hook neither turns the words beside it round nor pushes them out of sight', async () => {
  const turned = '\u202eevil ' + 'あ'.repeat(90)
  const hook = await running.api<{ id: string }>('POST', 'api/hooks', { name: turned, hookType: 'pre', script: 'return { action: "continue" }' })
  const page = await bench('wipe')
  await field(page, '/path').getByRole('textbox').fill('/')
  await run(page)
  const line = page.getByRole('list', { name: 'Hooks that ran' }).getByRole('listitem').filter({ hasText: 'evil' })
  await line.waitFor()
  expect(await line.locator('bdi').textContent()).toBe(turned)
  const [whole, panel] = await line.evaluate((item) => [item.firstElementChild?.getBoundingClientRect().right ?? 0, item.parentElement?.getBoundingClientRect().right ?? 0])
  expect(whole).toBeLessThanOrEqual((panel ?? 0) + 1)
  await running.api('DELETE', `api/hooks/${hook.id}`)
})

test('a call that passes a workflow leads to its run', async () => {
  const node = (id: string, type: string, x: number) => ({ id, type, position: { x, y: 0 }, data: { label: id } })
  const graph = await running.api<{ id: string }>('POST', 'api/workflows', {
    name: 'straight on',
    workflowType: 'tools/call',
    nodes: [node('s', 'start', 0), node('c', 'mcp-call', 200), node('e', 'end', 400)],
    edges: [{ id: 'a', source: 's', target: 'c' }, { id: 'b', source: 'c', target: 'e' }],
  })
  await running.api('POST', `api/workflows/${graph.id}/activate`)
  const page = await bench('wipe')
  await page.locator('[data-link="live"]').waitFor()
  await field(page, '/path').getByRole('textbox').fill('/')
  await run(page)
  const link = page.getByRole('link', { name: 'Open the run' })
  const own = (await link.getAttribute('href'))?.split('/').at(-1)
  expect(await running.api('GET', `api/runs/${own}`)).toMatchObject({ context: { toolName: 'wipe', metadata: { clientId: 'lockgate-ui' } } })
  // Others call the same tool meanwhile; the link leads to the own run all the same.
  const traffic = { on: true }
  const others = (async () => {
    while (traffic.on) await running.call('hard', 'wipe', { path: '/other' })
  })()
  await field(page, '/path').getByRole('textbox').fill('/mine')
  await run(page)
  await eventually('another run is linked', async () => (await link.count()) === 1 && (await link.getAttribute('href'))?.split('/').at(-1) !== own)
  traffic.on = false
  await others
  const mine = (await link.getAttribute('href'))?.split('/').at(-1)
  expect(await running.api('GET', `api/runs/${mine}`)).toMatchObject({ context: { request: { params: { arguments: { path: '/mine' } } } } })
  await page.getByRole('link', { name: 'What runs for this tool?' }).click()
  await page.getByRole('button', { name: 'Follow the call' }).click()
  await page.getByRole('link', { name: 'straight on' }).waitFor()
  await running.api('DELETE', `api/workflows/${graph.id}`)
})

test('tools are found by name, server and description', async () => {
  const page = await bench('wipe')
  await page.getByText('destructive').first().waitFor()
  await page.getByRole('searchbox', { name: 'Search tools' }).fill('contains itself')
  expect(await page.getByRole('button', { name: 'plain' }).count()).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'tree', level: 2 }).waitFor()
})

test.each([
  ['en', 'light', { width: 1440, height: 900 }],
  ['en', 'dark', { width: 1024, height: 768 }],
  ['ja', 'light', { width: 1024, height: 768 }],
  ['ja', 'dark', { width: 1440, height: 900 }],
] as const)('the playground is accessible in %s, %s', async (language, theme, size) => {
  const page = await bench('mixed', { language, theme, size })
  await page.locator('[data-field="/labels"] button').last().click()
  await page.locator('[data-field="/size"] input').fill('12')
  await page.keyboard.press('Control+Enter')
  await page.locator('[data-result]').waitFor()
  await axe(page)
  await shot(page, `tools-${language}-${theme}`)
  await page.getByRole('tab').nth(1).click()
  await axe(page)
})
