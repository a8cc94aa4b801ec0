import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, fixture, gateway, open, shot, type Gateway } from './support'

let running: Gateway

beforeAll(async () => {
  const loud = { name: 'loud', command: 'sh', args: ['-c', `echo 'listening for work' >&2; exec '${fixture.command}'`], env: { FX_LIST_CHANGED: '1' } }
  const modern = { ...fixture, name: 'modern', env: { FX_ERA: 'modern' } }
  const broken = { name: 'broken', command: 'sh', args: ['-c', "echo 'boom: no such door' >&2; exit 7"] }
  running = await gateway({ servers: [loud, modern, broken] })
})
afterAll(() => running.stop())

test('a card tells how its server fares: era, uptime, tools, calls, errors, and the last lines of its standard error', async () => {
  for (let count = 0; count < 3; count += 1) await running.call('loud', 'echo', { count })
  await running.call('loud', 'err-blank', {}).catch(() => null)
  const page = await open(running, '#/servers')
  const card = page.getByRole('article', { name: 'loud' })
  const fact = (name: string) => card.locator(`dt:text-is("${name}") + dd`)
  await expect.poll(() => fact('Calls').innerText(), { timeout: 15_000 }).toBe('4')
  expect(await fact('Errors').innerText()).toBe('25 %')
  expect(Number.parseInt(await fact('Tools').innerText(), 10)).toBeGreaterThan(15)
  expect(await fact('Protocol').innerText()).toMatch(/^\d{4}-\d\d-\d\d\s+legacy$/)
  expect(await fact('Restarts').innerText()).toBe('0')
  expect(await fact('Transport').innerText()).toMatch(/^stdio\s+pid \d+$/)
  expect(await card.getByRole('group', { name: 'Last lines of standard error' }).innerText()).toContain('listening for work')
  expect(await page.getByRole('article', { name: 'modern' }).locator('dt:text-is("Protocol") + dd').innerText()).toContain('modern')
  // The uptime counts on by itself.
  const before = await fact('Up for').innerText()
  await expect.poll(() => fact('Up for').innerText(), { timeout: 15_000 }).not.toBe(before)
})

test('a card says which tools came and went', async () => {
  await running.call('loud', 'grow', { name: 'sprout' })
  const page = await open(running, '#/servers')
  const card = page.getByRole('article', { name: 'loud' })
  const change = card.getByRole('group', { name: 'Tools changed' })
  await change.getByText('new: sprout').waitFor()
  await axe(page)
  await shot(page, 'servers-cards')
})

test('the card of a server that is down says why, what it wrote and what may help, and stands first', async () => {
  const page = await open(running, '#/servers')
  const card = page.getByRole('article').first()
  await card.getByRole('heading', { name: 'broken' }).waitFor()
  await card.getByText('Stopped').waitFor()
  await card.getByRole('alert').getByText('exit code 7').waitFor()
  await card.getByRole('group', { name: 'Last lines of standard error' }).getByText('boom: no such door').first().waitFor()
})
