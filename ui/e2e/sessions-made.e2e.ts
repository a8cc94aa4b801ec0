import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, gateway, type Gateway, open, shot } from './support'
import { on, ready } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway()
})
afterAll(() => lockgate.stop())

interface Reply {
  structuredContent?: { sessionId: string; waiting?: { for: string; stepIndex: number; input: unknown } }
  isError?: boolean
}

/** A client of the older era: it says hello first, and keeps its session. */
async function client(): Promise<(tool: string, args: object) => Promise<Reply>> {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const send = async (body: object) => {
    const response = await fetch(new URL('mcp', lockgate.url), { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) })
    const text = await response.text()
    return { response, message: text.startsWith('{') ? text : (text.split('\n').findLast((line) => line.startsWith('data: {'))?.slice(6) ?? '{}') }
  }
  const clientInfo = { name: 'e2e', version: '1' }
  const { response } = await send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  const session = response.headers.get('mcp-session-id')
  if (session) headers['mcp-session-id'] = session
  headers['mcp-protocol-version'] = '2025-06-18'
  await send({ method: 'notifications/initialized' })
  return async (name, args) => {
    const { message } = await send({ id: 1, method: 'tools/call', params: { name, arguments: args } })
    const reply = JSON.parse(message) as { result?: Reply }
    if (!reply.result) throw new Error(message)
    return reply.result
  }
}

test('an activity is written, changed and deleted', async () => {
  const page = await open(lockgate, '#/sessions?tab=activities')
  await page.getByRole('button', { name: 'New activity' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name/).fill('greet')
  await dialog.getByRole('textbox', { name: 'Script', exact: true }).fill('return { data: { text: "hello " + context.input.who } }')
  await dialog.getByRole('tab', { name: 'Schemas' }).click()
  await dialog.getByRole('textbox', { name: 'Input schema' }).fill('{"type":"object","required":["who"],"properties":{"who":{"type":"string"}}}')
  await dialog.getByRole('tab', { name: 'Limits' }).click()
  await dialog.getByLabel('Timeout (ms)').fill('500')
  await axe(page)
  await shot(page, 'activity-limits')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await lockgate.api('GET', 'api/activities/greet')).toMatchObject({ timeout: 500, inputSchema: { required: ['who'] }, revision: 1 })
  await page.getByRole('button', { name: 'Edit: greet' }).click()
  await dialog.getByLabel('Description').fill('Says hello')
  await shot(page, 'activity-script')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row').filter({ hasText: 'Says hello' }).waitFor()
  expect(await lockgate.api('GET', 'api/activities/greet')).toMatchObject({ timeout: 500, revision: 2 })
  await page.getByRole('button', { name: 'Delete: greet' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No activities yet' }).waitFor()
})

test('a script that does not compile is refused, and nothing is lost', async () => {
  const page = await open(lockgate, '#/sessions?tab=activities', { allow: /400/ })
  await page.getByRole('button', { name: 'New activity' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name/).fill('broken')
  await dialog.getByRole('textbox', { name: 'Script', exact: true }).fill('return {')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByLabel(/^Name/).inputValue()).toBe('broken')
})

test('an activity that calls a tool is chosen from the tools there are', async () => {
  const page = await open(lockgate, '#/sessions?tab=activities')
  await page.getByRole('button', { name: 'New activity' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name/).fill('weigh')
  await dialog.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Tool' }).click()
  await dialog.getByRole('combobox', { name: /^Server/ }).click()
  await page.getByRole('option', { name: 'health-server' }).click()
  await dialog.getByRole('combobox', { name: /^Tool/ }).click()
  await page.getByRole('option').first().click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await lockgate.api('GET', 'api/activities/weigh')).toMatchObject({ run: { tool: { server: 'health-server' } } })
})

test('the headers of a request are not overwritten by what hides them', async () => {
  const http = { method: 'POST', url: 'https://example.com/a', headers: { 'X-Key': 'secret' } }
  await lockgate.api('POST', 'api/activities', { name: 'notify', run: { http } })
  const page = await open(lockgate, '#/sessions?tab=activities')
  await page.getByRole('button', { name: 'Edit: notify' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^URL/).fill('https://example.com/b')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('write the hidden headers').waitFor()
  await dialog.getByRole('textbox', { name: 'Headers' }).fill('{"X-Key": "newer"}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await lockgate.api('GET', 'api/activities/notify')).toMatchObject({ run: { http: { url: 'https://example.com/b' } }, revision: 2 })
})

test('a session workflow is drawn with a condition and an approval, driven by a client, and allowed in the browser', async () => {
  const script = (name: string, text: string) => lockgate.api('POST', 'api/activities', { name, run: { script: text } })
  await script('score', 'return { data: { amount: context.input.amount } }')
  await script('discount', 'return { data: { amount: context.input.amount / 2 } }')
  await script('charge', 'return { data: { charged: context.input.amount } }')
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('button', { name: 'New workflow' }).first().click()
  await page.getByRole('button', { name: /^Blank/ }).click()
  await page.getByLabel(/^Name/).fill('order')
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Sessions' }).click()
  await page.getByRole('combobox', { name: /First activity/ }).click()
  await page.getByRole('option', { name: 'score' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await ready(page)
  await on(page, 'step-1').click()
  await page.getByRole('button', { name: 'Add: Activity' }).click()
  await page.getByLabel('Activity', { exact: true }).fill('discount')
  await page.getByRole('textbox', { name: /Condition/ }).fill('memory.score.amount > 1000')
  await page.getByRole('button', { name: 'Add: Activity' }).click()
  await page.getByLabel('Activity', { exact: true }).fill('charge')
  await page.getByRole('switch', { name: 'Needs approval' }).click()
  await page.keyboard.press('Control+s')
  const saved = await eventually('three steps are saved', async () => {
    const all = await lockgate.api<{ id: string; name: string; steps?: object[] }[]>('GET', 'api/workflows')
    const found = all.find(({ name }) => name === 'order')
    return found?.steps?.length === 3 && found
  })
  expect(saved.steps).toEqual([{ activity: 'score' }, { activity: 'discount', condition: 'memory.score.amount > 1000' }, { activity: 'charge', approve: true }])
  await page.getByRole('switch', { name: 'Active' }).click()
  await eventually('it is active', async () => (await lockgate.api<{ enabled: boolean }>('GET', `api/workflows/${saved.id}`)).enabled)
  await shot(page, 'sessions-drawn')

  const call = await client()
  const id = (await call('order_start', { amount: 40 })).structuredContent?.sessionId ?? ''
  const asked = await call('order_continue', { sessionId: id })
  expect(asked.structuredContent?.waiting).toMatchObject({ for: 'approval', stepIndex: 2, input: { amount: 40 } })
  await page.goto(new URL(`#/sessions/${id}`, lockgate.url).href)
  const line = page.getByRole('region', { name: 'Steps' })
  await line.getByRole('button', { name: /discount.*Passed over/ }).waitFor()
  await line.getByRole('button', { name: /charge.*Asks for approval/ }).waitFor()
  await page.getByRole('button', { name: 'Allow and run' }).click()
  await line.getByRole('button', { name: /charge.*Done/ }).waitFor()
  expect(await lockgate.api('GET', `api/sessions/${id}`)).toMatchObject({ status: 'completed', memory: { charge: { charged: 40 } } })
  await shot(page, 'session-drawn-done')
})

test('a session shows the steps it was started with after its workflow was changed, and the browser may allow what tools may not', async () => {
  await lockgate.api('POST', 'api/activities', { name: 'file', run: { script: 'return { data: { filed: true } }' } })
  const steps = [{ activity: 'file' }, { activity: 'file', approve: { apiOnly: true } }]
  const { id } = await lockgate.api<{ id: string }>('POST', 'api/workflows', { name: 'records', workflowType: 'session', enabled: true, steps })
  const call = await client()
  const session = (await call('records_start', {})).structuredContent?.sessionId ?? ''
  await call('records_continue', { sessionId: session })
  await lockgate.api('PATCH', `api/workflows/${id}`, { steps: [{ activity: 'file' }, { activity: 'file' }, { activity: 'file' }] })
  const page = await open(lockgate, `#/sessions/${session}?step=2`)
  await page.getByRole('complementary').getByRole('region', { name: 'Definition' }).getByText('apiOnly').waitFor()
  expect(await page.getByRole('region', { name: 'Steps' }).getByRole('button').count()).toBe(2)
  await page.getByRole('button', { name: 'Allow and run' }).click()
  await page.getByRole('region', { name: 'Steps' }).getByRole('button', { name: /2.*file.*Done/ }).waitFor()
})
