import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { front } from './front'
import { axe, eventually, fixture, open, shot } from './support'

// This gateway is ended in the middle of a step, so the scenarios start it by hand.
const ui = resolve(import.meta.dirname, '..')
const binary = resolve(process.env['LOCKGATE_BIN'] ?? join(ui, '../target/debug/lockgate'))

const activities = [
  { name: 'send', run: { tool: { server: 'fixture', name: 'sleep' } } },
  { name: 'note', run: { script: 'return { data: { got: context.input } }' } },
]
const workflows = [{ name: 'deliver', steps: [{ activity: 'note' }, { activity: 'send', input: { ms: 60000 } }, { activity: 'note' }] }]

let folder: string
let own = ''
let url: string
let child: ChildProcess | undefined
const stops: (() => Promise<void>)[] = []

/** Starts the gateway; again at the address that it had. */
async function serve(): Promise<void> {
  const port = own === '' ? '0' : new URL(own).port
  const running = spawn(binary, ['serve', '--config', join(folder, 'lockgate.yaml'), '--data', join(folder, 'data'), '--port', port], {
    env: { ...process.env, LOG_LEVEL: 'error', PORT: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = running
  let said = ''
  running.stdout?.on('data', (bytes: Buffer) => (said += bytes.toString()))
  const ready = await eventually('the gateway is ready', async () => /ready: (http:\/\/\S+)/.exec(said)?.[1])
  if (own !== '') return
  own = ready
  const pages = process.env['LOCKGATE_UI']
  const served = pages ? await front(`${own}/`, { dist: resolve(ui, pages) }) : null
  if (served) stops.push(served.stop)
  url = served?.url ?? `${own}/`
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const running = child
  if (!running || running.exitCode !== null || running.signalCode !== null) return
  await new Promise((done) => {
    running.on('exit', done)
    running.kill(signal)
  })
}

const post = (path: string, body: object) => fetch(new URL(path, url), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

interface Session {
  status: string
  memory: Record<string, unknown>
  waiting?: { for: string }
}

const session = async (id: string) => (await (await fetch(new URL(`api/sessions/${id}`, url))).json()) as Session

/** A session whose gateway died while its second step was under way. */
async function doubtful(): Promise<string> {
  const started = (await (await post('api/workflows/config:deliver/execute', { to: 'Ann' })).json()) as { structuredContent: { sessionId: string } }
  const id = started.structuredContent.sessionId
  const going = post(`api/sessions/${id}/continue`, {}).catch(() => null)
  await diesAtWork()
  await going
  await eventually('the session asks', async () => (await session(id)).waiting?.for === 'uncertain')
  return id
}

/** Waits until the step is at work, ends the gateway, and starts it again. */
async function diesAtWork(): Promise<void> {
  // The server tells of the call before, so that the poll behind that of the step sees it.
  await eventually('the tool is at work', async () => {
    const reply = await post('mcp/call', { server: 'fixture', toolName: 'stats', input: {} })
    return (await reply.text()).includes('60000')
  })
  await end('SIGKILL')
  await serve()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockgate-doubt-'))
  await writeFile(join(folder, 'lockgate.yaml'), JSON.stringify({ servers: [fixture], activities, workflows }))
  await serve()
})
afterAll(async () => {
  await end('SIGTERM')
  for (const stop of stops) await stop()
  await rm(folder, { recursive: true, force: true })
})

test('a step that nobody knows the end of is said to be done, with its result', async () => {
  const id = await doubtful()
  const page = await open({ url }, '#/sessions')
  await page.getByRole('region', { name: '1 session needs you' }).getByText('does not know what became of send').waitFor()
  await page.getByRole('list', { name: 'Sessions' }).getByRole('link').first().click()
  await page.getByRole('region', { name: 'What became of “send”?' }).waitFor()
  await axe(page)
  await shot(page, 'session-doubt')
  await page.getByRole('textbox', { name: 'Result' }).fill('{"sent": true}')
  await page.getByRole('button', { name: 'It was done' }).click()
  await page.getByRole('region', { name: 'What became of “send”?' }).waitFor({ state: 'detached' })
  await eventually('it goes on', async () => !(await session(id)).waiting)
  expect((await session(id)).memory['send']).toEqual({ sent: true })
})

test('a question that comes while somebody continues takes the place of that window', async () => {
  const started = (await (await post('api/workflows/config:deliver/execute', { to: 'Ann' })).json()) as { structuredContent: { sessionId: string } }
  const page = await open({ url }, `#/sessions/${started.structuredContent.sessionId}`, { allow: /ERR_|502/ })
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await diesAtWork()
  await page.getByRole('region', { name: 'What became of “send”?' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'It was done' }).click()
  await page.getByRole('region', { name: 'What became of “send”?' }).waitFor({ state: 'detached' })
  // It does not come back with the answer.
  expect(await page.getByRole('dialog').count()).toBe(0)
})
