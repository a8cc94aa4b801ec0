import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { hook, line, on, parted, store, type Stored } from './workflow-graphs'

let lockgate: Gateway
let workflow: Stored

const script = `
console.log('looked at', context.toolName)
if (context.toolName === 'plain') throw new Error('not today')
context.request.params.arguments.stamp = 'x'
return { continue: true }`

beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture] })
  workflow = await store(lockgate, line('Watched', [hook('look', 250, script)], { enabled: true }))
})
afterAll(() => lockgate.stop())

const call = (tool: string) => lockgate.call('fixture', tool, {}).catch(() => null)

test('runs appear as they happen, and the filters live in the address', async () => {
  const page = await open(lockgate, '#/runs')
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  await call('echo')
  await page.getByRole('listitem').filter({ hasText: 'echo' }).waitFor()
  await call('plain')
  await page.getByRole('listitem').filter({ hasText: 'not today' }).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await page.getByRole('listitem').filter({ hasText: 'echo' }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('status=error')
  await page.getByLabel('Tool').fill('pla')
  await eventually('the tool is in the address', async () => page.url().includes('tool=pla'))
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'plain' }).waitFor()
  expect(await page.getByLabel('Tool').inputValue()).toBe('pla')
  expect(await page.getByRole('listitem').filter({ hasText: 'echo' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('listitem').filter({ hasText: 'echo' }).waitFor()
})

test('the graph, the timeline and the inspector of a run show the same node', async () => {
  await call('echo')
  const [run] = await eventually('a run is recorded', async () => {
    const runs = await lockgate.api<{ id: string; status: string }[]>('GET', `api/workflows/${workflow.id}/runs`)
    const found = runs.filter(({ status }) => status === 'completed')
    return found.length > 0 && found
  })
  const page = await open(lockgate, `#/runs/${run?.id}`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByRole('button', { name: /look/ }).click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByRole('heading', { name: 'look' }).waitFor()
  await eventually('the graph has it selected', async () => (await on(page, 'look').getAttribute('class'))?.includes('selected'))
  await inspector.getByText('"stamp": "x"').waitFor()
  await inspector.getByRole('tab', { name: /Console/ }).click()
  await inspector.getByText('looked at echo').waitFor()
  await shot(page, 'run-look')
  await on(page, 'call').click()
  await inspector.getByRole('heading', { name: 'call' }).waitFor()
  expect(await timeline.getByRole('button', { name: /^call/ }).getAttribute('aria-pressed')).toBe('true')
  expect(page.url()).toContain('node=call')
})

test('a failed run says where and why, and what came after was not run', async () => {
  await call('plain')
  const page = await open(lockgate, '#/runs?status=error')
  await page.getByRole('listitem').filter({ hasText: 'plain' }).first().getByRole('link').click()
  await page.getByRole('alert').filter({ hasText: 'not today' }).first().waitFor()
  await on(page, 'look').locator('[data-state="error"]').waitFor()
  await on(page, 'end').locator('[data-state="skipped"]').waitFor()
  await page.getByRole('region', { name: 'Timeline' }).getByRole('button', { name: /^end/ }).click()
  await page.getByText('It was not run').waitFor()
})

/** A long line of hooks: one that changes the request, one that blocks it, and many that let it pass. */
async function blocked(): Promise<string> {
  const scripts: Record<number, string> = { 2: "context.request.params.arguments.stamp = 'y'", 8: "return { continue: false, error: { code: 'NO', message: 'Not on Sundays' } }" }
  const hooks = Array.from({ length: 12 }, (_, at) => hook(`h${at}`, 250 * (at + 1), scripts[at] ?? 'return'))
  const { id } = await store(lockgate, line('Long line', hooks, { enabled: true }))
  await call('echo')
  const [run] = await eventually('a run is recorded', async () => {
    const runs = await lockgate.api<{ id: string }[]>('GET', `api/workflows/${id}/runs`)
    return runs.length > 0 && runs
  })
  return run?.id ?? ''
}

test('every pane of a run tells which node changed the call and which blocked it', async () => {
  const page = await open(lockgate, `#/runs/${await blocked()}?node=h8`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await inspector.getByText('Blocked', { exact: true }).waitFor()
  await inspector.getByRole('alert').filter({ hasText: 'Not on Sundays' }).waitFor()
  await on(page, 'h8').getByText('Blocked').waitFor()
  await timeline.getByRole('button', { name: /^h8 *Blocked/ }).waitFor()
  await axe(page)
  await timeline.getByRole('button', { name: /^h2 *Changed/ }).click()
  await inspector.getByText('Changed', { exact: true }).waitFor()
  await on(page, 'h2').getByText('Changed').waitFor()
  await on(page, 'h1').getByText('Completed').waitFor()
  await shot(page, 'run-blocked')
  // The canvas of the editor tells the same, and shows the place.
  await page.getByRole('link', { name: 'Open the workflow' }).click()
  await page.getByRole('tab', { name: 'Run' }).click()
  await page.getByRole('region', { name: 'Latest runs' }).getByRole('button', { name: /echo/ }).first().click()
  await on(page, 'h8').getByText('Blocked').waitFor()
})

test.each([900, 420])('the graph of a run that is too wide to be read at once shows where it ended, %d high', async (height) => {
  const page = await open(lockgate, `#/runs/${await blocked()}`, { size: { width: 1024, height } })
  await on(page, 'h8').waitFor()
  const pane = await page.getByRole('region', { name: 'Graph' }).boundingBox()
  const node = await on(page, 'h8').boundingBox()
  if (!pane || !node) throw new Error('nothing is drawn')
  expect(node.width).toBeGreaterThan(100)
  expect([node.x > pane.x, node.y > pane.y, node.x + node.width < pane.x + pane.width, node.y + node.height < pane.y + pane.height]).toEqual([true, true, true, true])
  // The whole of it is one press away.
  await page.getByRole('button', { name: 'Show the whole graph' }).click()
  await on(page, 'end').waitFor()
  await on(page, 'start').waitFor()
})

test('a run of a workflow that was changed or deleted since is still shown', async () => {
  const other = await store(lockgate, line('Short-lived', [hook('once', 250, 'return')], { enabled: true }))
  await call('echo')
  const run = await eventually('a run is recorded', async () => {
    const [first] = await lockgate.api<{ id: string }[]>('GET', `api/workflows/${other.id}/runs`)
    return first?.id
  })
  await lockgate.api('PATCH', `api/workflows/${other.id}`, { name: 'Renamed' })
  const page = await open(lockgate, `#/runs/${run}`, { allow: /404/ })
  await page.getByText('This run passed version 1, which is shown here. The current version is 2.').waitFor()
  await lockgate.api('DELETE', `api/workflows/${other.id}`)
  await page.getByText('The workflow was deleted.').waitFor()
  await on(page, 'once').locator('[data-state="completed"]').waitFor()
})

test('the inspector says which way a condition took, and why', async () => {
  const made = await store(lockgate, parted('Parted', 'Is it echo?', 'return'))
  await call('env')
  const page = await open(lockgate, `#/runs?workflow=${made.id}`)
  await page.getByRole('main').getByRole('listitem').first().getByRole('link').click()
  await page.getByRole('region', { name: 'Timeline' }).getByRole('button', { name: /Is it echo/ }).click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByText('Way taken: false').waitFor()
  await inspector.getByText("context.toolName === 'echo'").waitFor()
  await on(page, 'yes').locator('[data-state="skipped"]').waitFor()
  await axe(page)
  await shot(page, 'run-branch')
})

test('a value that was too large to keep says how large it was', async () => {
  await lockgate.api('POST', `api/workflows/${workflow.id}/activate`)
  await lockgate.call('fixture', 'big', { bytes: 200_000 })
  const page = await open(lockgate, '#/runs?tool=big')
  await page.getByRole('main').getByRole('listitem').first().getByRole('link').click()
  await page.getByRole('region', { name: 'Reply of the server' }).getByText('It had 200').waitFor()
  await page.getByRole('region', { name: 'Timeline' }).getByRole('button', { name: /^call/ }).click()
  await page.getByRole('tab', { name: 'Output' }).click()
  await page.getByRole('complementary').getByText('A run keeps values of up to').waitFor()
  expect(await page.getByText('omittedBytes').count()).toBe(0)
})

test('a long list keeps few rows in the page', async () => {
  await lockgate.api('POST', `api/workflows/${workflow.id}/activate`)
  for (let round = 0; round < 40; round += 1) await Promise.all(Array.from({ length: 5 }, () => call('echo')))
  await eventually('two hundred runs', async () => (await lockgate.api<object[]>('GET', 'api/runs?limit=500')).length > 200)
  const page = await open(lockgate, '#/runs')
  await page.getByRole('listitem').first().waitFor()
  expect(await page.getByRole('listitem').count()).toBeLessThanOrEqual(60)
  await page.getByText('100+ runs').waitFor()
  await page.getByRole('button', { name: 'Load older runs' }).click()
  await page.getByText('200+ runs').waitFor()
  expect(await page.getByRole('listitem').count()).toBeLessThanOrEqual(60)
  // A filter finds what is far down too, and what is listed is light.
  await page.goto(new URL('#/runs?status=error', lockgate.url).href)
  await page.getByRole('listitem').filter({ hasText: 'not today' }).first().waitFor()
  const listed = await lockgate.api<{ mcpResult: unknown }[]>('GET', 'api/runs?brief=true&limit=500')
  expect(listed.every(({ mcpResult }) => mcpResult === null)).toBe(true)
})

test('a screen reader is told in Japanese what the keys do in the graph of a run', async () => {
  await call('echo')
  const [run] = await eventually('a run is recorded', async () => {
    const runs = await lockgate.api<{ id: string }[]>('GET', `api/workflows/${workflow.id}/runs`)
    return runs.length > 0 && runs
  })
  const page = await open(lockgate, `#/runs/${run?.id}`, { language: 'ja' })
  await on(page, 'look').waitFor()
  const told = await on(page, 'look').evaluate((node) => document.getElementById(node.getAttribute('aria-describedby') ?? '')?.textContent)
  expect(told).toBe('Tab でノードを移動し、Enter で選択します。')
})
