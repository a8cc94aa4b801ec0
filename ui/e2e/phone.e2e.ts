import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axe, demo, eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { hook, line, ready, store, type Stored } from './workflow-graphs'

const size = { width: 390, height: 844 }
const script = (text: string) => ({ script: text })
const activities = [
  { name: 'add', run: script('return { data: { result: context.input.a + context.input.b } }') },
  { name: 'pay', run: script('return { data: { paid: context.input.result } }') },
]
const workflows = [{ name: 'asks', steps: [{ activity: 'add' }, { activity: 'pay', approve: { message: 'Send the money?' } }, { activity: 'add', optional: true }, { activity: 'add' }] }]

let lockgate: Gateway
let workflow: Stored
let session = ''
let run = ''

beforeAll(async () => {
  lockgate = await gateway({ servers: [demo, fixture], config: { activities, workflows } })
  await lockgate.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  await lockgate.api('POST', 'api/hooks', { name: 'watch-everything-that-comes-by', hookType: 'pre', script: 'return' })
  workflow = await store(lockgate, line('Redact secrets before anybody sees them', [hook('look', 250, 'return')], { enabled: true }))
  await lockgate.call('fixture', 'echo', { v: 1 })
  const asks = (await lockgate.api<{ id: string; name: string }[]>('GET', 'api/workflows')).find(({ name }) => name === 'asks')
  await lockgate.api('POST', `api/workflows/${asks?.id}/execute`, { a: 1, b: 2 })
  session = (await lockgate.api<{ sessionId: string }[]>('GET', 'api/sessions'))[0]?.sessionId ?? ''
  run = (await lockgate.api<{ id: string }[]>('GET', 'api/runs'))[0]?.id ?? ''
})
afterAll(() => lockgate.stop())

/** How far anything on the page reaches beyond its right edge, what scrolls in a box of its own left aside. */
const overhang = (page: Page) =>
  page.evaluate(() => {
    const main = document.querySelector('main')
    return Math.max(document.documentElement.scrollWidth - innerWidth, main ? main.scrollWidth - main.clientWidth : 0)
  })

const settled = async (page: Page, path: string) => {
  await page.goto(new URL(`#${path}`, lockgate.url).href)
  await page.getByRole('main').locator('h1, [aria-label="Name"], .react-flow__node').first().waitFor()
  // A part that is read may come with another that is read then, so the page must be quiet for a moment.
  let quiet = 0
  await eventually(`${path} is there`, async () => {
    const loading = await page.getByText(/^(Loading|読み込んでいます)/).count()
    quiet = loading === 0 ? quiet + 1 : 0
    return quiet >= 4
  })
}

for (const [language, theme] of [['en', 'light'], ['ja', 'dark']] as const) {
  test(`no page of a phone scrolls sideways, ${language} and ${theme}`, async () => {
    const page = await open(lockgate, '#/', { language, theme, size })
    const pages = [
      '/', '/start', '/servers', '/tools', '/tools?server=health-server&tool=calculate-bmi', '/requests', '/hooks', '/workflows',
      `/workflows/${workflow.id}`, '/runs', `/runs/${run}`, '/sessions', `/sessions/${session}`, '/schedules', '/audit', '/settings', '/nowhere',
    ]
    const wrong: string[] = []
    for (const path of pages) {
      await settled(page, path)
      await shot(page, `phone${path.replaceAll(/[/?=&]/g, '-').replace(workflow.id, 'editor').replace(run, 'one').replace(session, 'one')}-${language}-${theme}`)
      const over = await overhang(page)
      if (over > 0) wrong.push(`${path} is ${over} pixels too wide`)
      await axe(page).catch((error: Error) => wrong.push(`${path}: ${error.message}`))
    }
    expect(wrong).toEqual([])
  })
}

test('a phone leads to every page from a menu that gives the room back', async () => {
  const page = await open(lockgate, '#/servers', { size })
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  await page.getByRole('button', { name: 'Pages' }).click()
  await page.getByRole('dialog', { name: 'Pages' }).waitFor()
  await axe(page)
  await shot(page, 'phone-menu')
  await page.getByRole('link', { name: 'Hooks' }).click()
  await page.getByRole('heading', { name: 'Hooks', level: 1 }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('on a phone a hook is opened from the list, edited, and left again', async () => {
  const page = await open(lockgate, '#/hooks', { size })
  await page.locator('[data-hook]').getByRole('button', { name: /^watch-everything/ }).click()
  const script = page.getByRole('textbox', { name: 'Script of the hook' })
  await script.waitFor()
  expect(await page.locator('[data-hook]').isVisible()).toBe(false)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
  expect((await script.boundingBox())?.width).toBeGreaterThan(300)
  await shot(page, 'phone-hook')
  await page.getByRole('link', { name: 'All hooks' }).click()
  await page.locator('[data-hook]').waitFor()
})

for (const language of ['en', 'ja'] as const) {
  test(`on a phone an older version is looked at and loaded, ${language}`, async () => {
    await lockgate.api('PATCH', `api/workflows/${workflow.id}`, { description: `read in ${language}` })
    const page = await open(lockgate, `#/workflows/${workflow.id}`, { language, size: { width: 375, height: 667 } })
    await ready(page)
    await page.getByRole('button', { name: /^(Versions|版)$/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^(Version 1|版 1)/ }).click()
    const load = dialog.getByRole('button', { name: /Load into the editor|エディターに読み込む/ })
    await dialog.locator('.react-flow__node').first().waitFor()
    const [whole, graph, button] = [await dialog.boundingBox(), await dialog.locator('.react-flow').boundingBox(), await load.boundingBox()]
    expect(graph?.width).toBeGreaterThan((whole?.width ?? 0) * 0.8)
    expect(graph?.height).toBeGreaterThan(100)
    expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThanOrEqual((whole?.x ?? 0) + (whole?.width ?? 0))
    await axe(page)
    await shot(page, `phone-versions-${language}`)
    await load.click()
    await dialog.waitFor({ state: 'detached' })
    page.on('dialog', (leaving) => void leaving.accept())
  })
}

test('on a phone the note that somebody else changed a hook keeps its text readable', async () => {
  const { id } = await lockgate.api<{ id: string }>('POST', 'api/hooks', { name: 'contested', hookType: 'pre', script: 'return' })
  const page = await open(lockgate, `#/hooks?id=${id}`, { size })
  await page.getByRole('textbox', { name: 'Script of the hook' }).fill('// mine')
  await lockgate.api('PATCH', `api/hooks/${id}`, { script: '// theirs' })
  const note = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Keep mine' }) })
  await note.waitFor()
  const [whole, text] = [await note.boundingBox(), await note.getByText('Somebody else').boundingBox()]
  expect(text?.width).toBeGreaterThan((whole?.width ?? 0) * 0.75)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
  await axe(page)
  await shot(page, 'phone-hook-conflict')
  await lockgate.api('DELETE', `api/hooks/${id}`)
})

test('on a phone the titles of the dashboard are not cut', async () => {
  const page = await open(lockgate, '#/', { size: { width: 380, height: 844 } })
  await page.getByRole('heading', { name: 'Calls and errors per second' }).waitFor()
  const cut = await page.evaluate(() => [...document.querySelectorAll('main h2')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
  expect(cut).toEqual([])
})

test('what can be done with a row of a table is in sight, however wide the table', async () => {
  const page = await open(lockgate, '#/', { size: { width: 380, height: 844 } })
  const inSight = async (name: RegExp) => {
    const box = await page.getByRole('button', { name }).first().boundingBox()
    expect(box && box.x + box.width, String(name)).toBeLessThanOrEqual(380)
  }
  await page.getByRole('region', { name: 'Open sessions' }).first().waitFor()
  await inSight(/^Actions for the session of asks/)
  await inSight(/^Restart health-server/)
  await settled(page, '/sessions?tab=activities')
  await inSight(/^View: add/)
  await settled(page, '/workflows?tab=modules')
  await page.getByRole('link', { name: /^watch-everything/ }).waitFor()
  await inSight(/watch-everything/)
  // A column that is left out is left out with its title.
  const titles = await page.getByRole('columnheader').evaluateAll((all) => all.filter((one) => one.checkVisibility()).length)
  expect(await page.getByRole('row').nth(1).getByRole('cell').count()).toBe(titles)
})

test('on a phone a node is added with a touch, and the panel opens when it is wanted', async () => {
  const page = await open(lockgate, `#/workflows/${workflow.id}`, { size })
  await ready(page)
  const canvas = async () => (await page.locator('.react-flow').boundingBox())?.height ?? 0
  const before = await canvas()
  expect(before).toBeGreaterThan(400)
  await page.getByRole('button', { name: 'Add: Condition' }).click()
  await page.getByText('Not saved').waitFor()
  await page.getByRole('button', { name: 'Open the panel' }).click()
  await page.getByRole('tabpanel', { name: 'Inspector' }).waitFor()
  expect(await canvas()).toBeLessThan(before - 200)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
  await axe(page)
  await shot(page, 'phone-editor-panel')
  await page.getByRole('button', { name: 'Fold the panel' }).click()
  await page.getByRole('button', { name: 'Run (R)' }).click()
  await page.getByRole('tabpanel', { name: 'Run' }).waitFor()
})

test('names and messages without a space stay inside a phone', async () => {
  const long = 'w'.repeat(50)
  const asking = [{ activity: 'add' }, { activity: 'pay', approve: { message: 'W'.repeat(180) } }]
  const own = await gateway({ config: { activities, workflows: [{ name: long, steps: asking }] } })
  onTestFinished(() => own.stop())
  await store(own, line('all calls', [], { enabled: true }))
  await own.api('POST', `api/workflows/config:${long}/execute`, { a: 1, b: 2 })
  const [asked] = await own.api<{ sessionId: string }[]>('GET', 'api/sessions')
  await own.api('POST', `api/sessions/${asked?.sessionId}/continue`, {})
  const [passed] = await eventually('a call was recorded', async () => {
    const runs = await own.api<{ id: string }[]>('GET', 'api/runs')
    return runs.length > 0 && runs
  })
  const page = await open(own, `#/runs/${passed?.id}`, { size })
  await page.getByText(`lockgate / ${long}_continue`).first().waitFor()
  expect(await overhang(page)).toBe(0)
  await page.goto(new URL('#/sessions', own.url).href)
  await page.getByRole('button', { name: /^Review:/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('W'.repeat(180)).waitFor()
  expect(await dialog.evaluate((one) => [one, ...one.querySelectorAll('p, h2, div')].filter((part) => part.scrollWidth > part.clientWidth && getComputedStyle(part).display !== 'inline').map((part) => part.textContent?.slice(0, 40)))).toEqual([])
})
