import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axe, demo, fixture, gateway, open, shot, type Gateway } from './support'
import { line, store } from './workflow-graphs'

let running: Gateway

beforeAll(async () => {
  const broken = { name: 'broken', command: 'sh', args: ['-c', 'exit 3'] }
  running = await gateway({ servers: [demo, fixture, broken] })
  await running.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
  await running.call('fixture', 'nil', {}).catch(() => null)
  await running.api('POST', 'api/hooks', { name: 'watch', hookType: 'pre', script: 'return { action: "continue" }' })
})
afterAll(() => running.stop())

const pages = ['/', '/start', '/servers', '/tools', '/requests', '/hooks', '/workflows', '/runs', '/sessions', '/schedules', '/audit', '/settings', '/nowhere']
const looks = [
  ['en', 'light', { width: 1440, height: 900 }],
  ['en', 'dark', { width: 1440, height: 900 }],
  ['ja', 'light', { width: 1024, height: 768 }],
  ['ja', 'dark', { width: 1024, height: 768 }],
] as const

for (const [language, theme, size] of looks) {
  test(`every page is accessible and silent, ${language} and ${theme}`, async () => {
    const page = await open(running, '#/', { language, theme, size })
    for (const path of pages) {
      await page.goto(new URL(`#${path}`, running.url).href)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.getByRole('status').filter({ hasText: /Loading|読み込んでいます/ }).count(), { timeout: 15_000 }).toBe(0)
      await axe(page).catch((error: Error) => {
        throw new Error(`${path}: ${error.message}`)
      })
      await shot(page, `page${path.replaceAll('/', '-')}-${language}-${theme}`)
    }
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
  })
}

for (const width of [390, 1024, 1440]) {
  test(`filters say whole what they are in Japanese, on ${width} pixels`, async () => {
    // The lists have their filters once there is something to filter.
    const definitions = { activities: [{ name: 'note', run: { script: 'return' } }], workflows: [{ name: 'noting', steps: [{ activity: 'note' }] }] }
    const lockgate = await gateway({ config: definitions })
    onTestFinished(() => lockgate.stop())
    await lockgate.api('POST', 'api/workflows/config:noting/execute', {})
    await store(lockgate, line('Passed', [], { enabled: true }))
    await lockgate.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })
    const page = await open(lockgate, '#/', { language: 'ja', size: { width, height: 800 } })
    for (const path of ['requests', 'runs', 'sessions', 'audit']) {
      await page.goto(new URL(`#/${path}`, lockgate.url).href)
      const bar = page.getByRole('combobox')
      await bar.first().waitFor()
      const cut = await bar.locator('span.truncate').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
      expect(cut, path).toEqual([])
    }
  })
}
