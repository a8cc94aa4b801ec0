import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { line, on, ready, store } from './workflow-graphs'

let lockgate: Gateway
beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture] })
})
afterAll(() => lockgate.stop())

interface Hook {
  id: string
  name: string
  enabled: boolean
  hookType: string
}
const hooks = () => lockgate.api<Hook[]>('GET', 'api/hooks')

test('modules are made, written, used by workflows and deleted in their own tab', async () => {
  const page = await open(lockgate, '#/workflows')
  await page.getByRole('tab', { name: 'Hook modules' }).click()
  await page.getByRole('heading', { name: 'No hook modules yet' }).waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'New module' }).click()
  const dialog = page.getByRole('dialog', { name: 'New module' })
  await dialog.getByLabel(/^Name/).fill('Stamp')
  await dialog.getByRole('combobox', { name: 'Runs' }).click()
  await page.getByRole('option', { name: 'after the reply (post)' }).click()
  await axe(page)
  await dialog.getByRole('button', { name: 'Create' }).click()
  // It is opened where scripts are written, and the list of hooks does not run it.
  await page.getByRole('heading', { name: 'Stamp', level: 2 }).waitFor()
  const [made] = await hooks()
  expect(made).toMatchObject({ name: 'Stamp', enabled: false, hookType: 'post' })

  const node = { id: 'mark', type: 'hook', position: { x: 250, y: 200 }, data: { label: 'Mark', hook: { id: 'mark', hookModuleId: made?.id, blocking: true } } }
  await store(lockgate, line('Uses the stamp', [node as never], { enabled: true }))
  await lockgate.api('POST', 'api/hooks', { name: 'Watch', hookType: 'pre', script: 'return' })
  await page.goto(new URL('#/workflows?tab=modules', lockgate.url).href)
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Stamp', exact: true }) })
  await row.getByText('after the reply (post)').waitFor()
  await row.getByText('not in use there').waitFor()
  await row.getByRole('link', { name: 'Uses the stamp' }).waitFor()
  await page.getByRole('row').filter({ hasText: 'Watch' }).getByText('runs there too').waitFor()
  await axe(page)
  await shot(page, 'workflow-modules')
  // What a workflow uses stays.
  await row.getByRole('button', { name: 'More for “Stamp”' }).click()
  expect(await page.getByRole('menuitem', { name: 'Delete (a workflow uses it)' }).getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More for “Watch”' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await eventually('the hook is gone', async () => (await hooks()).length === 1)
  // The node of the workflow names its module.
  await row.getByRole('link', { name: 'Uses the stamp' }).click()
  await ready(page)
  await on(page, 'mark').getByText('Module: Stamp').waitFor()
})

test.each([['en', 'dark'], ['ja', 'light']] as const)('the tab of modules is accessible in %s, %s', async (language, theme) => {
  const page = await open(lockgate, '#/workflows?tab=modules', { language, theme, size: { width: 1024, height: 768 } })
  await page.getByRole('link', { name: 'Stamp', exact: true }).waitFor()
  await axe(page)
  await shot(page, `workflow-modules-${language}-${theme}`)
})
