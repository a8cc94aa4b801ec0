// Graphs and gestures that the scenarios of workflows and runs share.
import type { Locator, Page } from 'playwright-core'
import { eventually, type Gateway } from './support'

export interface Stored {
  id: string
  name: string
  enabled: boolean
  revision: number
  nodes: { id: string; type: string; position: { x: number; y: number }; data: Record<string, unknown> }[]
  edges: { source: string; target: string; sourceHandle?: string }[]
}

const node = (id: string, type: string, x: number, data: object = {}) => ({ id, type, position: { x, y: 200 }, data: { label: id, ...data } })

export const hook = (id: string, x: number, script: string, blocking = true) =>
  node(id, 'hook', x, { label: id, hook: { id, script, blocking } })

/** Start, the given hooks, the call, end, in one line. */
export function line(name: string, hooks: ReturnType<typeof hook>[] = [], more: object = {}): object {
  const nodes = [node('start', 'start', 0), ...hooks, node('call', 'mcp-call', 250 * (hooks.length + 1)), node('end', 'end', 250 * (hooks.length + 2))]
  const edges = nodes.slice(1).map((next, at) => ({ id: `e${at}`, source: nodes[at]?.id, target: next.id }))
  return { name, workflowType: 'tools/call', enabled: false, nodes, edges, ...more }
}

/** Start, a condition that holds for the tool `echo` and then goes by a hook, the call, end; in force. */
export function parted(name: string, label: string, script: string): object {
  const choice = node('if', 'condition', 250, { label, expression: "context.toolName === 'echo'" })
  const yes = { ...hook('yes', 0, script), position: { x: 380, y: 320 } }
  const { nodes } = line(name, [yes]) as { nodes: object[] }
  const edges = [
    { id: 'a', source: 'start', target: 'if' },
    { id: 'b', source: 'if', target: 'yes', sourceHandle: 'true' },
    { id: 'c', source: 'if', target: 'call', sourceHandle: 'false' },
    { id: 'd', source: 'yes', target: 'call' },
    { id: 'e', source: 'call', target: 'end' },
  ]
  return { name, workflowType: 'tools/call', enabled: true, nodes: [...nodes, choice], edges }
}

export const store = (gateway: Gateway, workflow: object): Promise<Stored> => gateway.api<Stored>('POST', 'api/workflows', workflow)
export const stored = (gateway: Gateway, id: string): Promise<Stored> => gateway.api<Stored>('GET', `api/workflows/${id}`)

/** A node on the canvas. */
export const on = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`)

/** How many edges are drawn. */
export const edges = (page: Page): Promise<number> => page.locator('.react-flow__edge').count()

/** Where something stands, once it stands still: a canvas may be on its way to show everything. */
async function still(target: Locator) {
  let box = await target.boundingBox()
  for (let looks = 0; looks < 100; looks++) {
    await target.page().evaluate(() => new Promise(requestAnimationFrame))
    const now = await target.boundingBox()
    if (JSON.stringify(now) === JSON.stringify(box)) return box
    box = now
  }
  throw new Error(`never stands still: ${target}`)
}

async function middle(target: Locator): Promise<{ x: number; y: number }> {
  const box = await still(target)
  if (!box) throw new Error(`not on the page: ${target}`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Drags with the mouse from one place to another, in several steps as a hand does. */
export async function drag(page: Page, from: Locator | { x: number; y: number }, to: Locator | { x: number; y: number }, hold?: () => Promise<void>): Promise<void> {
  const start = 'x' in from ? from : await middle(from)
  const end = 'x' in to ? to : await middle(to)
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(start.x + 6, start.y + 6)
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 })
  await page.mouse.move(end.x, end.y, { steps: 4 })
  await hold?.()
  await page.mouse.up()
}

/** Draws a connection from the output of one node to the input of another. */
export async function wire(page: Page, from: string, to: string): Promise<void> {
  await drag(page, on(page, from).locator('.react-flow__handle.source').first(), on(page, to).locator('.react-flow__handle.target'))
}

/** Waits until the canvas has so many edges. */
export async function hasEdges(page: Page, count: number): Promise<void> {
  await eventually(`${count} edges`, async () => (await edges(page)) === count)
}

/** Opens the editor and waits for its canvas. */
export async function ready(page: Page): Promise<void> {
  await page.locator('.react-flow__node').first().waitFor()
}
