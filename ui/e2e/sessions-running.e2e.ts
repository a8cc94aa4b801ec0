import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, browser, fixture, gateway, type Gateway, open, shot } from './support'

const activities = [
  { name: 'note', run: { script: 'return { data: { got: context.input } }' } },
  { name: 'send', run: { tool: { server: 'fixture', name: 'sleep' } } },
]
const workflows = [{ name: 'deliver', steps: [{ activity: 'note' }, { activity: 'send', input: { ms: 8000 } }, { activity: 'note' }] }]

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture], config: { activities, workflows } })
})
afterAll(() => lockgate.stop())

interface Reply {
  structuredContent: { sessionId: string }
}

const start = async () => (await lockgate.api<Reply>('POST', 'api/workflows/config:deliver/execute', {})).structuredContent.sessionId
const goOn = (id: string) => lockgate.api('POST', `api/sessions/${id}/continue`, {})

test('a step that runs looks other than the next one, and says how long it has been running', async () => {
  const id = await start()
  const page = await open(lockgate, `#/sessions/${id}`)
  const steps = page.getByRole('region', { name: 'Steps' }).getByRole('button')
  const states = () => steps.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['state']))
  await steps.nth(1).getByText('Next').waitFor()
  expect(await states()).toEqual(['done', 'next', 'later'])

  const continued = goOn(id)
  await steps.nth(1).getByText('Running').waitFor()
  expect(await states()).toEqual(['done', 'running', 'later'])
  await page.getByRole('region', { name: 'Timeline' }).getByText('Running').waitFor({ state: 'attached' })
  // Whoever prefers less motion sees none. A change of colour is over with the next frame.
  const moving = () => page.evaluate(() => document.getAnimations().filter((one) => one.playState === 'running').length)
  await expect.poll(moving).toBe(0)
  await axe(page)
  await shot(page, 'session-running')
  await continued
  await steps.nth(2).getByText('Next').waitFor()
  expect(await states()).toEqual(['done', 'done', 'next'])
})

test('what runs pulses for everybody else, in the list too', async () => {
  const id = await start()
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' })
  const page = await open(lockgate, '#/sessions', { context })
  const pulses = () => page.getByRole('main').evaluate((main) => [...main.querySelectorAll('*')].filter((one) => one.checkVisibility() && getComputedStyle(one).animationName === 'pulse-soft').length)
  await page.getByRole('listitem').first().waitFor()
  // A session that waits for its client is not at work.
  expect(await pulses()).toBe(0)
  const continued = goOn(id)
  await expect.poll(pulses, { timeout: 15_000 }).toBe(1)
  await page.goto(new URL(`#/sessions/${id}`, lockgate.url).href)
  await page.getByRole('region', { name: 'Steps' }).getByText('Running').waitFor()
  expect(await pulses()).toBeGreaterThan(0)
  await continued
  await context.close()
})
