import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, demo, fixture, gateway, open, shot, type Gateway } from './support'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [demo, fixture] })
})
afterAll(() => lockgate.stop())

const weigh = () => lockgate.call('health-server', 'calculate-bmi', { weight_kg: 70, height_m: 1.75 })

test('requests appear as they end, are searched, and say what ran', async () => {
  const page = await open(lockgate, '#/requests')
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  await axe(page)
  await lockgate.api('POST', 'api/hooks', { name: 'watch', hookType: 'pre', enabled: true, script: 'return { action: "continue" }' })
  await weigh()
  await lockgate.call('fixture', 'no-such-tool', {}).catch(() => null)
  const rows = page.getByRole('list', { name: 'Requests' }).getByRole('listitem')
  await rows.filter({ hasText: 'calculate-bmi' }).first().waitFor()
  await rows.filter({ hasText: 'TOOL_NOT_FOUND' }).first().waitFor()

  await page.getByRole('searchbox', { name: 'Search' }).fill('not_found')
  await page.waitForURL(/text=not_found/)
  await rows.filter({ hasText: 'calculate-bmi' }).first().waitFor({ state: 'detached' })
  await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(1)
  // The address holds the filters, so a reload shows the same.
  await page.reload()
  await rows.filter({ hasText: 'TOOL_NOT_FOUND' }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Outcome' }).click()
  await page.getByRole('option', { name: 'Succeeded' }).click()
  await rows.filter({ hasText: 'calculate-bmi' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('watch').waitFor()
  await axe(page)
  await shot(page, 'request')
  await dialog.getByRole('link', { name: 'Open the tool' }).click()
  await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor()
})

test.each([
  ['en', 'Slower than (ms)', 'Only whole numbers.'],
  ['ja', '所要時間（ms 以上）', '整数を入力してください。'],
] as const)('in %s, a filter of time that is no whole number is said to be none, and the last one stays', async (language, label, said) => {
  const page = await open(lockgate, '#/requests?slower=500', { language })
  await page.clock.install()
  const box = page.getByRole('textbox', { name: label })
  await box.fill('1.5')
  const trouble = page.getByText(said)
  await trouble.waitFor()
  expect(await box.getAttribute('aria-describedby')).toBe(await trouble.getAttribute('id'))
  await axe(page)
  await shot(page, `requests-slower-${language}`)
  // Longer than a filter waits for the next key.
  await page.clock.fastForward(1000)
  expect(page.url()).toContain('slower=500')
  await box.fill('１００')
  await page.clock.fastForward(1000)
  await page.waitForURL(/slower=(%22)?100(%22)?$/)
  await trouble.waitFor({ state: 'detached' })
  expect(await box.inputValue()).toBe('１００')
})

const looks = [
  { language: 'en', theme: 'light', size: { width: 1280, height: 800 } },
  { language: 'ja', theme: 'dark', size: { width: 390, height: 844 } },
] as const

test.each(looks)('requests are accessible in $language, $theme, $size.width wide', async (look) => {
  for (let count = 0; count < 30; count += 1) await weigh()
  const page = await open(lockgate, '#/requests', look)
  await page.getByRole('main').getByRole('listitem').nth(5).waitFor()
  await axe(page)
  await shot(page, `requests-${look.language}-${look.size.width}`)
  const main = await page.getByRole('main').evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
  expect(main[0]).toBe(main[1])
})
