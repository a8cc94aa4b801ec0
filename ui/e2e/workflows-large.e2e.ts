import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, fixture, gateway, type Gateway, open, shot } from './support'
import { drag, hook, line, on, ready, store } from './workflow-graphs'

let lockgate: Gateway

beforeAll(async () => {
  lockgate = await gateway({ servers: [fixture] })
})
afterAll(() => lockgate.stop())

const ROW = 25

/** A line of a thousand nodes, laid out in rows. */
function thousand(): object {
  const hooks = Array.from({ length: 997 }, (_, at) => hook(`h${at}`, 0, 'return { continue: true }'))
  const { nodes, ...rest } = line('A thousand nodes', hooks) as { nodes: object[] }
  const placed = nodes.map((node, at) => ({ ...node, position: { x: (at % ROW) * 240, y: Math.floor(at / ROW) * 110 } }))
  return { ...rest, nodes: placed }
}

test('a workflow of a thousand nodes opens, pans and drags', async () => {
  const { id } = await store(lockgate, thousand())
  const began = Date.now()
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  const opened = Date.now() - began
  // Close up, only what is in sight is in the page.
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Find a node' }).fill('h500')
  await page.keyboard.press('Enter')
  await on(page, 'h500').waitFor()
  await eventually('few nodes are in the page', async () => (await page.locator('.react-flow__node').count()) < 120)

  const frames = await measured(page, async () => {
    const before = await on(page, 'h500').boundingBox()
    await drag(page, on(page, 'h500'), { x: (before?.x ?? 0) + 260, y: (before?.y ?? 0) + 160 })
  })
  const viewport = () => page.locator('.react-flow__viewport').getAttribute('style')
  const before = await viewport()
  const pane = await page.locator('.react-flow').boundingBox()
  const corner = { x: (pane?.x ?? 0) + 20, y: (pane?.y ?? 0) + 20 }
  const panned = await measured(page, () => drag(page, corner, { x: corner.x + 300, y: corner.y + 200 }))
  expect(await viewport()).not.toBe(before)
  await page.getByText('Not saved', { exact: true }).waitFor()
  await page.keyboard.press('Control+z')
  await page.getByText('Saved', { exact: true }).waitFor()
  await shot(page, 'editor-thousand')
  console.log(`a thousand nodes: open ${opened} ms; frames while dragging ${said(frames)}; while panning ${said(panned)}`)
  // On a quiet machine these are far below 100 ms; the limit leaves room for one that is busy with other tests.
  expect(frames.longest).toBeLessThan(5_000)
  expect(panned.longest).toBeLessThan(5_000)
})

test('what a run did is shown on a thousand nodes while the page stays quick', async () => {
  const { id } = await store(lockgate, { ...thousand(), name: 'Run of a thousand', enabled: true })
  const page = await open(lockgate, `#/workflows/${id}`)
  await ready(page)
  await page.getByRole('tab', { name: 'Run', exact: true }).click()
  // A mark on every node that the canvas drew: whatever is drawn anew loses it.
  await page.evaluate(() => {
    for (const node of document.querySelectorAll('.react-flow__node')) Object.assign(node, { marked: true })
    const moved = new Set<string>()
    Object.assign(window, { moved })
    const watch = new MutationObserver((changes) => {
      for (const { target } of changes) if (target instanceof Element && target.classList.contains('react-flow__node')) moved.add(target.getAttribute('data-id') ?? '')
    })
    const nodes = document.querySelector('.react-flow__nodes')
    if (nodes) watch.observe(nodes, { attributes: true, attributeFilter: ['style', 'class'], subtree: true })
  })
  const frames = await measured(page, async () => {
    await lockgate.call('fixture', 'plain', {})
    await page.locator('[data-state="completed"]').first().waitFor()
  })
  console.log(`a thousand nodes: frames while a run is shown ${said(frames)}`)
  expect(frames.longest).toBeLessThan(10_000)
  const drawn = await page.evaluate(() => ({
    fresh: [...document.querySelectorAll('.react-flow__node')].filter((node) => !('marked' in node)).length,
    moved: (window as unknown as { moved: Set<string> }).moved.size,
  }))
  expect(drawn, 'what a run did changes the faces of nodes, never the document').toEqual({ fresh: 0, moved: 0 })
  await page.getByText('Saved', { exact: true }).waitFor()
})

interface Frames {
  longest: number
  median: number
}

const said = ({ median, longest }: Frames) => `${median} ms, the longest ${longest} ms`

/** The times between two frames while something is done, in milliseconds. */
async function measured(page: Awaited<ReturnType<typeof open>>, act: () => Promise<void>): Promise<Frames> {
  await page.evaluate(() => {
    const watch = { times: [] as number[], last: performance.now(), on: true }
    Object.assign(window, { watch })
    const tick = (now: number) => {
      watch.times.push(now - watch.last)
      watch.last = now
      if (watch.on) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await act()
  return page.evaluate(() => {
    const { watch } = window as unknown as { watch: { times: number[]; on: boolean } }
    watch.on = false
    const times = watch.times.toSorted((a, b) => a - b)
    return { longest: Math.round(times.at(-1) ?? 0), median: Math.round(times[Math.floor(times.length / 2)] ?? 0) }
  })
}
