import { afterAll, beforeAll, test } from 'vitest'
import { axe, eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { line, hook, on, ready, store, type Stored } from './workflow-graphs'

let lockgate: Gateway
let active: Stored
let broken: Stored
let run: string

beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture] })
  const script = "console.log('seen'); context.request.params.arguments.v = 'x'; return { continue: true }"
  const condition = { id: 'if', type: 'condition', position: { x: 250, y: 200 }, data: { label: 'Is it echo?', expression: "context.toolName === 'echo'" } }
  const plain = line('Everything', [hook('pre', 500, script), hook('log', 750, 'console.warn(1)', false)]) as { nodes: { id: string; type: string; data: object }[] }
  const nodes = [...plain.nodes.map((node) => (node.id === 'log' ? { ...node, position: { x: 1000, y: 340 } } : node)), condition]
  const edges = [
    { id: '1', source: 'start', target: 'if' },
    { id: '2', source: 'if', target: 'pre', sourceHandle: 'true' },
    { id: '3', source: 'if', target: 'call', sourceHandle: 'false' },
    { id: '4', source: 'pre', target: 'call' },
    { id: '5', source: 'call', target: 'end' },
    { id: '6', source: 'call', target: 'log' },
  ]
  active = await store(lockgate, { ...plain, nodes, edges, enabled: true })
  broken = await store(lockgate, { ...line('Unfinished'), edges: [] })
  await lockgate.call('fixture', 'echo', {})
  await lockgate.call('fixture', 'plain', {})
  const runs = await eventually('two runs are recorded', async () => {
    const found = await lockgate.api<{ id: string; context: { toolName: string } }[]>('GET', 'api/runs')
    return found.length === 2 && found
  })
  run = runs.find(({ context }) => context.toolName === 'echo')?.id ?? ''
})
afterAll(() => lockgate.stop())

const looks = [
  { language: 'en', theme: 'light' },
  { language: 'ja', theme: 'light' },
  { language: 'en', theme: 'dark' },
  { language: 'ja', theme: 'dark' },
] as const

test.each(looks)('every page of workflows and runs is accessible in $language, $theme', async (look) => {
  const name = `${look.language}-${look.theme}`
  const size = look.language === 'ja' ? { width: 1024, height: 768 } : { width: 1440, height: 900 }
  const page = await open(lockgate, '#/workflows', { ...look, size })
  await page.getByRole('radio').first().waitFor()
  await axe(page)
  await shot(page, `workflows-${name}`)
  await page.getByRole('button', { name: /New workflow|新規ワークフロー/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^(Allow-list|許可リスト)/ }).waitFor()
  await axe(page)
  await shot(page, `workflows-new-${name}`)

  await page.goto(new URL(`#/workflows/${broken.id}`, lockgate.url).href)
  await ready(page)
  await page.getByRole('tab', { name: /Problems|問題/ }).click()
  await page.locator('[role=tabpanel] li').first().waitFor()
  await axe(page)
  await shot(page, `editor-problems-${name}`)

  await page.goto(new URL(`#/workflows/${active.id}`, lockgate.url).href)
  await ready(page)
  await on(page, 'pre').click()
  await page.locator('.cm-content').first().waitFor()
  await axe(page)
  await shot(page, `editor-hook-${name}`)
  await page.getByRole('tab', { name: /^(Run|実行)$/ }).click()
  await page.getByRole('complementary').getByRole('button', { name: /echo/ }).click()
  await page.locator('.react-flow [data-state="completed"]').first().waitFor()
  await axe(page)
  await shot(page, `editor-run-${name}`)

  await page.goto(new URL('#/runs', lockgate.url).href)
  await page.getByRole('listitem').first().waitFor()
  await axe(page)
  await shot(page, `runs-${name}`)
  await page.goto(new URL(`#/runs/${run}?node=pre`, lockgate.url).href)
  await page.getByRole('tab', { name: /Changes|変更/ }).waitFor()
  await axe(page)
  await shot(page, `run-${name}`)
})
