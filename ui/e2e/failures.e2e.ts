import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, gateway, open, shot, type Gateway } from './support'
import { hook, line, ready, store } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway()
})
afterAll(() => lockgate.stop())

const ja = { language: 'ja', allow: /40[49]/ } as const

test('a refusal is told in the language of the page, with the words of the gateway below', async () => {
  const page = await open(lockgate, '#/runs/nope', ja)
  const told = page.getByRole('main').getByRole('alert')
  await told.getByText('「nope」が見つかりません。').waitFor()
  expect(await told.locator('[lang=en]').textContent()).toContain('Run \'nope\' not found')
  await axe(page)
  await shot(page, 'failure-ja')
})

test('a name that is taken is told in the language of the page', async () => {
  await lockgate.api('POST', 'api/hooks', { name: 'guard', hookType: 'pre', script: 'return' })
  const page = await open(lockgate, '#/workflows?tab=modules', ja)
  await page.getByRole('button', { name: '新規モジュール' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('guard')
  await page.getByRole('dialog').getByRole('button', { name: '作成' }).click()
  await page.getByText('「guard」という名前はすでに使われています。').waitFor()
})

test('what only the gateway finds in a workflow is told in the language of the page', async () => {
  const { id } = await store(lockgate, line('broken', [hook('look', 250, 'return (')]))
  const page = await open(lockgate, `#/workflows/${id}`, ja)
  await ready(page)
  await page.getByRole('tab', { name: /^問題/ }).click()
  const problem = page.getByRole('button', { name: /のスクリプトを確認してください。/ })
  await problem.waitFor()
  expect(await problem.locator('[lang=en]').textContent()).toContain('does not compile')
  await axe(page)
  await shot(page, 'problem-ja')
})

test('a workflow that is not there has a page with a heading', async () => {
  const page = await open(lockgate, '#/workflows/nope', ja)
  await page.getByRole('main').getByRole('alert').waitFor()
  await page.getByRole('heading', { level: 1, name: 'ワークフロー' }).waitFor()
  expect(await page.title()).toBe('ワークフロー · Lockgate')
  await axe(page)
})
