import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, gateway, type Gateway, open, shot } from './support'

interface Session {
  sessionId: string
  status: string
  history: { stepIndex: number; activityName: string; compensation?: boolean }[]
  waiting?: { for: string }
  compensation?: { complete: boolean }
}

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }
const script = (text: string) => ({ script: text })

const activities = [
  { name: 'add', description: 'Adds two numbers', inputSchema: numbers, run: script('return { data: { result: context.input.a + context.input.b } }') },
  { name: 'double', run: script('return { data: { result: 2 * context.input.result } }') },
  { name: 'pay', run: script('return { data: { paid: context.input.result } }') },
  { name: 'undo', run: script('return { data: { undone: true } }') },
  { name: 'bad', run: script("throw new Error('nope')") },
  { name: 'check', run: script('return { data: { valid: context.input.valid } }') },
  { name: 'child', run: { workflow: { name: 'asks' } } },
  { name: 'bmi', run: { tool: { server: 'health-server', name: 'calculate-bmi' } } },
  { name: 'huge', run: script("context.memory.seen = 1; return { data: { rows: Array.from({ length: 5000 }, (_, at) => ({ at, text: 'x'.repeat(50) })) } }") },
]

const workflows = [
  // The second step is passed over for small numbers, the third asks.
  { name: 'asks', steps: [{ activity: 'add' }, { activity: 'double', condition: 'memory.add.result > 100' }, { activity: 'pay', approve: { message: 'Send the money?' } }] },
  { name: 'calc', description: 'Calculates', steps: [{ activity: 'add', compensate: 'undo' }, { activity: 'double' }, { activity: 'pay' }] },
  { name: 'breaks', steps: [{ activity: 'bad', optional: true }, { activity: 'add', compensate: 'undo' }, { activity: 'bad' }, { activity: 'pay' }] },
  { name: 'forks', steps: [{ activity: 'check', branches: { 'valid:false': { toolName: 'breaks_start', parameters: { reason: 'x' } } } }, { activity: 'pay' }] },
  { name: 'waits', steps: [{ activity: 'add' }, { activity: 'pay', waitFor: { event: 'paid' } }] },
  { name: 'measures', steps: [{ activity: 'bmi' }, { activity: 'huge' }] },
  { name: 'outer', steps: [{ activity: 'child' }, { activity: 'pay' }] },
]

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ config: { activities, workflows } })
})
afterAll(() => lockgate.stop())

/** Calls a tool as an MCP client does. */
async function client(tool: string, args: object): Promise<{ structuredContent?: { sessionId?: string }; isError?: boolean }> {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} }
  const response = await fetch(new URL('mcp', lockgate.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args, _meta: meta } }),
  })
  const text = await response.text()
  const line = text.startsWith('{') ? text : (text.split('\n').findLast((one) => one.startsWith('data: {'))?.slice(6) ?? '{}')
  const reply = JSON.parse(line) as { result?: { structuredContent?: { sessionId?: string } }; error?: unknown }
  if (!reply.result) throw new Error(`${tool}: ${response.status} ${text}`)
  return reply.result
}

const start = async (workflow: string, input: object = { a: 1, b: 2 }) => (await client(`${workflow}_start`, input)).structuredContent?.sessionId ?? ''
const session = (id: string) => lockgate.api<Session>('GET', `api/sessions/${id}`)
const status = (id: string, wanted: string) => eventually(`the session is ${wanted}`, async () => (await session(id)).status === wanted)

test('a step that a client came to is allowed in the inbox, and the session completes', async () => {
  const page = await open(lockgate, '#/sessions')
  await page.getByRole('heading', { name: 'No sessions yet' }).waitFor()
  const id = await start('asks')
  await page.getByRole('listitem').filter({ hasText: 'asks' }).waitFor()
  await client('asks_continue', { sessionId: id })
  const inbox = page.getByRole('region', { name: '1 session needs you' })
  await inbox.getByText('wants to run pay').waitFor()
  await shot(page, 'sessions-inbox')
  await inbox.getByRole('button', { name: /Review/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Send the money?').waitFor()
  await dialog.getByText('result:').waitFor()
  await shot(page, 'sessions-review')
  await dialog.getByRole('button', { name: 'Allow and run' }).click()
  await dialog.waitFor({ state: 'detached' })
  await inbox.waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').filter({ hasText: 'Completed' }).waitFor()
  const done = await session(id)
  expect(done.history.map(({ activityName }) => activityName)).toEqual(['add', 'pay'])
})

test('a refusal ends the session, and says why', async () => {
  const id = await start('asks')
  await client('asks_continue', { sessionId: id })
  const page = await open(lockgate, `#/sessions/${id}`)
  await page.getByRole('region', { name: 'May “pay” run?' }).waitFor()
  await page.getByLabel('Reason').fill('too much')
  await page.getByRole('button', { name: 'Refuse' }).click()
  await status(id, 'failed')
  await page.getByRole('alert').filter({ hasText: 'too much' }).first().waitFor()
})

test('the line, the timeline and the inspector show the same step', async () => {
  const id = await start('asks')
  await client('asks_continue', { sessionId: id })
  const page = await open(lockgate, `#/sessions/${id}`)
  const [line, timeline] = [page.getByRole('region', { name: 'Steps' }), page.getByRole('region', { name: 'Timeline' })]
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByText('__workflow_input__').waitFor()
  await timeline.getByRole('button', { name: /add/ }).click()
  await inspector.getByRole('heading', { name: 'add' }).waitFor()
  expect(await line.getByRole('button', { name: /add/ }).getAttribute('aria-pressed')).toBe('true')
  await inspector.getByText('asks_continue').first().waitFor()
  await line.getByRole('button', { name: /double/ }).click()
  await inspector.getByText('Its condition was false').waitFor()
  expect(page.url()).toContain('step=2')
  expect(await timeline.getByRole('button', { name: /add/ }).getAttribute('aria-pressed')).toBe('false')
  await shot(page, 'session-steps')
})

test('a session is started, continued with a result, and completes', async () => {
  const page = await open(lockgate, '#/sessions')
  await page.getByRole('button', { name: 'Start a session' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Workflow' }).click()
  await page.getByRole('option', { name: 'calc' }).click()
  // What stands in the fields is an example, and nothing that is sent.
  const go = dialog.getByRole('button', { name: 'Start', exact: true })
  expect([await dialog.getByLabel(/^a/).inputValue(), await dialog.getByLabel(/^a/).getAttribute('placeholder'), await go.isDisabled()]).toEqual(['', '1', true])
  await dialog.getByLabel(/^a/).fill('4')
  await dialog.getByLabel(/^b/).fill('1')
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await dialog.getByRole('textbox', { name: 'Input' }).getByText('"a": 4').waitFor()
  await shot(page, 'sessions-start')
  await go.click()
  await page.getByRole('heading', { name: 'Session of calc' }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Result' }).fill('{"result": 50}')
  await page.getByRole('dialog').getByRole('switch').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Session of calc' }).locator('..').getByText('Completed').waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  expect(await lockgate.api('GET', `api/sessions/${id}`)).toMatchObject({ status: 'completed', memory: { __workflow_input__: { a: 4, b: 1 }, add: { result: 50 }, pay: { paid: 100 } } })
})

test('a session is paused, and cancelled with what it did undone', async () => {
  const id = await start('calc')
  const page = await open(lockgate, `#/sessions/${id}`)
  await page.getByRole('button', { name: 'Pause' }).press('Enter')
  await status(id, 'paused')
  await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'detached' })
  // The button is gone, and the keyboard goes on where the page begins.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
  await page.getByRole('button', { name: 'Cancel session' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('switch', { name: /Undo/ }).click()
  await dialog.getByRole('button', { name: 'Keep it' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel session' }).click()
  await status(id, 'cancelled')
  await page.getByRole('region', { name: 'Timeline' }).getByText('Undo: undo').waitFor()
  await page.getByText('Everything that had to be undone was undone.').waitFor()
  expect((await session(id)).compensation?.complete).toBe(true)
  await shot(page, 'session-undone')
})

test('what was offered and chosen is shown with its pattern', async () => {
  const id = await start('forks', { valid: false })
  await client('breaks_start', { sessionId: id, a: 1, b: 2 })
  const page = await open(lockgate, `#/sessions/${id}?step=1`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByRole('region', { name: 'Options offered' }).getByText('breaks_start').waitFor()
  await inspector.getByRole('region', { name: 'Decisions' }).getByText('valid:false').waitFor()
  await shot(page, 'session-branch')
})

test('an event is sent to a session that waits for it', async () => {
  const id = await start('waits')
  await client('waits_continue', { sessionId: id })
  const page = await open(lockgate, `#/sessions/${id}`)
  await page.getByRole('region', { name: 'Waits for the event “paid”' }).waitFor()
  await page.getByRole('textbox', { name: 'Data of the event' }).fill('{"result": 7}')
  await page.getByRole('button', { name: 'Send the event' }).click()
  await status(id, 'completed')
})

test('a session leads to the one that runs as its step, and back', async () => {
  const id = await start('outer')
  const page = await open(lockgate, `#/sessions/${id}`)
  await page.getByRole('link', { name: 'Open that session' }).click()
  await page.getByRole('heading', { name: 'Session of asks' }).waitFor()
  await page.getByRole('complementary').getByRole('link', { name: id.slice(0, 8) }).click()
  await page.getByRole('heading', { name: 'Session of outer' }).waitFor()
  await page.getByRole('complementary').getByRole('link', { name: 'asks' }).waitFor()
})

test('the filters live in the address', async () => {
  const broken = await start('breaks')
  await client('breaks_continue', { sessionId: broken })
  await client('breaks_continue', { sessionId: broken })
  await status(broken, 'failed')
  const page = await open(lockgate, '#/sessions')
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /Failed/ }).click()
  await eventually('the status is in the address', async () => page.url().includes('status=failed'))
  await page.getByRole('combobox', { name: 'Workflow' }).click()
  await page.getByRole('option', { name: 'breaks' }).click()
  await eventually('the workflow is in the address', async () => page.url().includes('workflow=breaks'))
  await page.reload()
  const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await rows.filter({ hasText: 'nope' }).waitFor()
  await eventually('only that one is left', async () => (await rows.count()) === 1)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await rows.filter({ hasText: 'calc' }).first().waitFor()
})

test('a session that is not there says so, and leads back', async () => {
  const page = await open(lockgate, '#/sessions/none', { allow: /404/ })
  await page.getByRole('heading', { name: 'There is no such session' }).waitFor()
  await axe(page)
  await page.getByRole('link', { name: 'All sessions' }).click()
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
})

const looks = [['en', 'light'], ['en', 'dark'], ['ja', 'light'], ['ja', 'dark']] as const

test.each(looks)('every page of sessions is accessible in %s, %s', async (language, theme) => {
  const size = theme === 'dark' ? { width: 1024, height: 768 } : { width: 1440, height: 900 }
  const options = { language, theme, size }
  const asked = await start('asks')
  await client('asks_continue', { sessionId: asked })
  const page = await open(lockgate, '#/sessions', options)
  await page.getByRole('listitem').first().waitFor()
  await page.getByRole('button', { name: /Review|確認/ }).first().waitFor()
  await axe(page)
  await shot(page, `sessions-${language}-${theme}`)
  await page.goto(new URL(`#/sessions/${asked}?step=1`, lockgate.url).href)
  await page.getByRole('complementary').getByRole('heading', { name: 'add' }).waitFor()
  await axe(page)
  await shot(page, `session-${language}-${theme}`)
  await page.goto(new URL('#/sessions?tab=activities', lockgate.url).href)
  await page.getByRole('row').filter({ hasText: 'double' }).waitFor()
  await axe(page)
  await shot(page, `activities-${language}-${theme}`)
})

test('a step shows what it was given and what it gave, and a large value does not weigh on the page', async () => {
  const id = await start('measures', { weight_kg: 70, height_m: 1.75 })
  await client('measures_continue', { sessionId: id })
  const page = await open(lockgate, `#/sessions/${id}?step=1`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByRole('region', { name: 'Input' }).getByText('weight_kg:').waitFor()
  await inspector.getByRole('region', { name: 'Output' }).getByText('22.857').first().waitFor()
  await shot(page, 'session-step')
  await page.getByRole('button', { name: /huge/ }).first().click()
  await inspector.getByRole('region', { name: 'Output' }).getByText('rows:').waitFor()
  await inspector.getByRole('region', { name: 'Written to the memory' }).getByText('seen:').waitFor()
  expect(await inspector.locator('*').count()).toBeLessThan(2000)
  await axe(page)
})
