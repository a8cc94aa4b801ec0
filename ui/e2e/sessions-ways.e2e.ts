import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, gateway, type Gateway, open, shot } from './support'
import { drag, hasEdges, on, ready, type Stored, wire } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  const script = (name: string, text: string) => ({ name, run: { script: text } })
  const activities = [
    script('score', 'return { data: context.input.points }'),
    ...['praise', 'advise', 'file'].map((name) => script(name, `return { data: { did: '${name}' } }`)),
  ]
  lockgate = await gateway({ config: { activities } })
})
afterAll(() => lockgate.stop())

const step = (id: string, x: number, y: number) => ({ id, type: 'activity', position: { x, y }, data: { label: id, step: { activity: id } } })
const end = (id: string, x: number) => ({ id, type: id, position: { x, y: 100 }, data: { label: id } })

/** Score, a condition, praise or advise, file. */
function parted(name: string, data: object, enabled = true): object {
  const choice = { id: 'choice', type: 'condition', position: { x: 480, y: 100 }, data: { label: 'Good?', ...data } }
  const nodes = [end('start', 0), step('score', 240, 100), choice, step('praise', 720, 0), step('advise', 720, 200), step('file', 960, 100), end('end', 1200)]
  const edges = [
    { source: 'start', target: 'score' }, { source: 'score', target: 'choice' },
    { source: 'choice', target: 'praise', sourceHandle: 'true' }, { source: 'choice', target: 'advise', sourceHandle: 'false' },
    { source: 'praise', target: 'file' }, { source: 'advise', target: 'file' }, { source: 'file', target: 'end' },
  ]
  return { name, workflowType: 'session', enabled, nodes, edges: edges.map((edge, at) => ({ id: `e${at}`, ...edge })) }
}

const store = (workflow: object) => lockgate.api<Stored>('POST', 'api/workflows', workflow)
type Reply = { structuredContent?: { sessionId?: string } }
const begin = async (id: string, input: object) => (await lockgate.api<Reply>('POST', `api/workflows/${id}/execute`, input)).structuredContent?.sessionId ?? ''
const goOn = (session: string) => lockgate.api('POST', `api/sessions/${session}/continue`, {})

const state = (node: Locator, wanted: string) => node.locator(`[data-state="${wanted}"]`).waitFor()
const card = (page: Page, name: RegExp) => page.getByRole('region', { name: 'Steps' }).getByRole('button', { name })

/** Brings the whole graph into view, and waits until it rests. */
async function fit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fit to view' }).click()
  const canvas = (await page.locator('.react-flow').boundingBox()) ?? { x: 0, width: 0 }
  let before = ''
  await eventually('the graph rests in view', async () => {
    const box = await on(page, 'end').boundingBox()
    const [last, now] = [before, JSON.stringify(box)]
    before = now
    await page.waitForTimeout(100)
    return box !== null && box.x + box.width < canvas.x + canvas.width && last === now
  })
}

/** The new node that is selected gets a name and an activity, and its id is told. */
async function named(page: Page, activity: string): Promise<string> {
  await page.getByLabel('Activity', { exact: true }).fill(activity)
  await page.getByLabel('Label').fill(activity)
  return page.getByText(/^activity-\w+$/).innerText()
}

test('a session workflow with a condition is drawn, run from the editor, and shows the way that was taken', async () => {
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('button', { name: 'New workflow' }).first().click()
  await page.getByRole('button', { name: /^Blank/ }).click()
  await page.getByLabel(/^Name/).fill('exam')
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Sessions' }).click()
  await page.getByRole('combobox', { name: /First activity/ }).click()
  await page.getByRole('option', { name: 'score' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await ready(page)

  await on(page, 'step-1').click()
  await page.getByRole('button', { name: 'Add: Condition' }).click()
  await page.getByLabel('Label').fill('Good?')
  await page.getByText('Over memory, input and previous').waitFor()
  expect(await page.getByRole('textbox', { name: 'Expression' }).innerText()).toBe('memory.score > 10')
  const choice = page.locator('.react-flow__node[data-id^="condition-"]')
  await page.getByRole('button', { name: 'Add: Activity' }).click()
  await named(page, 'praise')
  await page.getByRole('button', { name: 'Add: Activity' }).click()
  const file = await named(page, 'file')

  // What the other way leads to is missed, in words, and until then it cannot be active.
  await page.getByRole('tab', { name: /Problems/ }).click()
  await page.getByText('“Good?” needs a way for false.').waitFor()
  expect(await page.getByRole('switch', { name: 'Active' }).isDisabled()).toBe(true)
  await page.getByRole('tab', { name: 'Inspector' }).click()

  await page.keyboard.press('Escape')
  await fit(page)
  const box = (await choice.boundingBox()) ?? { x: 0, y: 0 }
  await drag(page, choice.locator('.react-flow__handle.source[data-handleid="false"]'), { x: box.x + 160, y: box.y + 180 })
  await page.getByRole('option', { name: /Activity/ }).click()
  const advise = await named(page, 'advise')
  await wire(page, advise, file)
  await hasEdges(page, 7)
  // Only a condition has two ways.
  await wire(page, advise, 'end')
  await page.getByText('leads somewhere already; only a condition may have two ways').waitFor()
  expect(await page.locator('.react-flow__edge').count()).toBe(7)
  await page.getByRole('tab', { name: /Problems/ }).click()
  await page.getByText('No problems').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByRole('switch', { name: 'Active' }).click()
  await page.getByText('It is in effect from now on.').first().waitFor()
  const saved = (await lockgate.api<(Stored & { steps: object[] })[]>('GET', 'api/workflows')).find(({ name }) => name === 'exam')
  expect(saved?.steps).toEqual(['score', 'praise', 'advise', 'file'].map((activity) => ({ activity })))

  await page.getByRole('tab', { name: 'Run', exact: true }).click()
  await page.getByRole('textbox', { name: 'Start input (JSON)' }).fill('{"points": 12}')
  await page.getByRole('button', { name: 'Start a session' }).click()
  await state(on(page, 'step-1'), 'completed')
  await state(choice, 'skipped')
  await page.getByRole('button', { name: 'Continue' }).click()
  await state(choice, 'completed')
  await page.getByRole('button', { name: 'Continue' }).click()
  await state(on(page, 'end'), 'completed')
  await state(on(page, file), 'completed')
  await state(on(page, advise), 'skipped')
  expect(await page.locator('.react-flow__edge-path.is-lit').count()).toBe(5)
  expect(await page.locator('.react-flow__edge-path.is-dim').count()).toBe(2)
  await axe(page)
  await shot(page, 'session-way-on-canvas')

  await page.getByRole('link', { name: 'Open the session' }).click()
  const ways = page.getByRole('region', { name: 'Ways taken' })
  await ways.getByRole('listitem').filter({ hasText: 'Good?' }).getByText('true', { exact: true }).waitFor()
  await card(page, /praise.*Done/).waitFor()
  await card(page, /advise.*Passed over/).click()
  await page.getByText('It stands on a way that was not taken.').waitFor()
  await axe(page)
  await shot(page, 'session-way-taken')
})

test('a condition that is not judged leaves the steps behind it open, and then rules some of them out', async () => {
  const { id } = await store(parted('slow', { expression: 'memory.score > 10' }))
  const session = await begin(id, { points: 3 })
  const page = await open(lockgate, `#/sessions/${session}`)
  const ways = page.getByRole('region', { name: 'Ways taken' })
  await ways.getByText('not decided yet').waitFor()
  await card(page, /praise.*To come/).waitFor()
  await card(page, /advise.*To come/).waitFor()
  await goOn(session)
  await ways.getByText('false', { exact: true }).waitFor()
  await card(page, /praise.*Passed over/).waitFor()
  await card(page, /advise.*Done/).waitFor()
  await card(page, /file.*Next/).waitFor()
  await axe(page)
  await shot(page, 'session-way-false')
})

test('a condition that fails ends the session with its reason, or counts as false', async () => {
  const strict = await store(parted('strict', { expression: 'memory.lost.value' }))
  const failed = await begin(strict.id, { points: 3 })
  await goOn(failed)
  const page = await open(lockgate, `#/sessions/${failed}`, { language: 'ja' })
  const ways = page.getByRole('region', { name: '選ばれた経路' })
  await ways.getByText('失敗', { exact: true }).waitFor()
  await ways.getByText(/of undefined/).waitFor()
  await axe(page)
  await shot(page, 'session-way-failed-ja')
  await page.goto(new URL(`#/workflows/${strict.id}`, lockgate.url).href)
  await ready(page)
  await page.getByRole('tab', { name: '実行', exact: true }).click()
  await state(on(page, 'choice'), 'error')
  await shot(page, 'session-way-canvas-ja')

  const mild = await store(parted('mild', { expression: 'memory.lost.value', onError: 'continue' }))
  const session = await begin(mild.id, { points: 3 })
  await goOn(session)
  await page.goto(new URL(`#/sessions/${session}`, lockgate.url).href)
  await ways.getByText('偽', { exact: true }).waitFor()
  await page.getByRole('region', { name: 'ステップ' }).getByRole('button', { name: /advise.*完了/ }).waitFor()
})

test('a condition of a session with a missing way is saved, and refused when it is to be active', async () => {
  const whole = parted('half', { expression: 'memory.score > 10' }, false) as { nodes: { id: string }[]; edges: { source: string; target: string }[] }
  const without = (id: string) => id !== 'advise'
  const half = { ...whole, nodes: whole.nodes.filter((node) => without(node.id)), edges: whole.edges.filter((edge) => without(edge.source) && without(edge.target)) }
  const { id } = await store(half)
  await expect(lockgate.api('PATCH', `api/workflows/${id}`, { enabled: true })).rejects.toThrow(/needs a way for false/)
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.getByRole('tab', { name: /^Problems/ }).click()
  await page.getByText('“Good?” needs a way for false.').waitFor()
  await eventually('it cannot be switched on', () => page.getByRole('switch', { name: 'Active' }).isDisabled())
})
