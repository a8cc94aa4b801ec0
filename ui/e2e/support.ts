// What the scenarios share: the real gateway with real servers, a real browser, and the checks of every page.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, onTestFinished } from 'vitest'
import { front } from './front'

const ui = resolve(import.meta.dirname, '..')
const binary = resolve(process.env['LOCKGATE_BIN'] ?? join(ui, '../target/debug/lockgate'))

/** The demo server, as an entry of `servers`. */
export const demo = { name: 'health-server', command: binary, args: ['demo-server'] }
/** The server of the tests, with many kinds of tools. */
export const fixture = { name: 'fixture', command: join(binary, '../lockgate-fixture') }
/** A server with hard schemas, which tells how far it is and asks questions. */
export const hard = { name: 'hard', command: process.execPath, args: [join(ui, 'e2e/fixtures/hard-server.mjs')] }

export interface GatewayOptions {
  /** Entries of `servers`; the demo server when left out. */
  servers?: object[]
  /** Other members of the config file. */
  config?: object
  /** The key that the scenarios themselves use, where the config file has keys. */
  key?: string
}

export interface Gateway {
  url: string
  folder: string
  /** The path of its config file. */
  config: string
  /** A request to its API, with JSON in and out. */
  api: <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>
  /** One call of a tool. */
  call: (server: string, tool: string, input: unknown) => Promise<unknown>
  /** Ends the process, does something while it is down, and starts it again at the same address with the same data. */
  restart: (meanwhile?: () => Promise<void>) => Promise<void>
  stop: () => Promise<void>
}

/** Starts the real binary on a free port with a folder of its own, and waits until it answers. */
export async function gateway({ servers = [demo], config = {}, key }: GatewayOptions = {}): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'lockgate-ui-'))
  const file = join(folder, 'lockgate.yaml')
  const startup = { onServerFailure: 'degrade' }
  await writeFile(file, JSON.stringify({ startup, ...config, servers }, null, 2))
  const start = (port: string) =>
    spawn(binary, ['serve', '--config', file, '--data', join(folder, 'data'), '--port', port], {
      env: { ...process.env, LOG_LEVEL: 'error', PORT: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  let child = start('0')
  const own = await address(child)
  // With LOCKGATE_UI=dist the page comes from ui/dist, so that a change of it needs no build of the binary.
  const pages = process.env['LOCKGATE_UI']
  const served = pages ? await front(own, { dist: resolve(ui, pages) }) : null
  const url = served?.url ?? own
  const api = request(own, key)
  return {
    url,
    folder,
    config: file,
    api,
    call: (server, toolName, input) => api('POST', 'mcp/call', { server, toolName, input }),
    restart: async (meanwhile) => {
      await ended(child)
      await meanwhile?.()
      child = start(new URL(own).port)
      await address(child)
    },
    stop: async () => {
      await served?.stop()
      await ended(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function request(url: string, key?: string): Gateway['api'] {
  return async <T>(method: string, path: string, body?: unknown) => {
    const headers = { ...(key && { authorization: `Bearer ${key}` }), ...(body !== undefined && { 'content-type': 'application/json' }) }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(new URL(path.replace(/^\//, ''), url), init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text ? JSON.parse(text) : null) as T
  }
}

function address(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let text = ''
    child.stdout?.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      const match = /ready: (http:\/\/\S+)/.exec(text)
      if (match?.[1]) found(`${match[1]}/`)
    })
    child.on('error', failed)
    child.on('exit', (code) => failed(new Error(`the gateway ended with ${code}: ${text}`)))
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null) return done()
    child.removeAllListeners('exit')
    child.on('exit', () => done())
    child.kill('SIGTERM')
  })
}

/** The shell without windows does the same work with half of the processor time. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
]

let launched: Promise<Browser> | null = null

/** The browser that the scenarios of a file share; it is closed after the last of them. */
export function browser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? browsers.find(existsSync) ?? ''
  launched ??= chromium.launch({ executablePath, args: flags })
  return launched
}

afterAll(async () => {
  await (await launched)?.close()
})

export interface OpenOptions {
  language?: 'en' | 'ja'
  theme?: 'light' | 'dark'
  size?: { width: number; height: number }
  /** Permits messages of the console that match, such as those of a call that is meant to fail. */
  allow?: RegExp
  /** A profile to share with other tabs; else the page has one of its own. */
  context?: BrowserContext
}

/** A browser profile: what its tabs share. It is closed with the test. */
export async function profile({ language = 'en', theme = 'light', size = { width: 1440, height: 900 } }: OpenOptions = {}): Promise<BrowserContext> {
  const context = await (await browser()).newContext({ viewport: size, locale: language, colorScheme: theme, reducedMotion: 'reduce' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  onTestFinished(() => context.close())
  return context
}

/** Opens a page of the app, such as `#/servers`. The test fails when the console complains. */
export async function open(gateway: Pick<Gateway, 'url'>, path = '#/', options: OpenOptions = {}): Promise<Page> {
  const context = options.context ?? (await profile(options))
  const page = await context.newPage()
  const complaints = watch(page, options.allow)
  onTestFinished(() => {
    if (complaints.length > 0) throw new Error(`The console complained:\n${complaints.join('\n')}`)
  })
  await page.goto(new URL(path, gateway.url).href)
  return page
}

/** Gathers errors and warnings of the console and of the page. */
export function watch(page: Page, allow?: RegExp): string[] {
  const complaints: string[] = []
  const add = (text: string) => {
    if (!allow?.test(text)) complaints.push(text)
  }
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') add(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => add(`page: ${error.message}`))
  return complaints
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Fails when the page as it stands breaks a rule of accessibility. */
export async function axe(page: Page): Promise<void> {
  // What is still fading in has no contrast yet.
  await page.waitForFunction(() =>
    document.getAnimations().every(
      (one) => one.playState !== 'running' || one.effect?.getComputedTiming().iterations === Infinity,
    ),
  )
  // Evaluated by the debugger, which the content policy of the page does not bind; once for each document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await readFile(axePath, 'utf8'))
  const found = await page.evaluate(async () => {
    type Result = { violations: { id: string; help: string; nodes: { target: unknown[]; failureSummary?: string }[] }[] }
    const { axe } = window as unknown as { axe: { run: (root: Document, options: object) => Promise<Result> } }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} ${node.target.join(' ')}: ${node.failureSummary ?? ''}`))
  })
  if (found.length > 0) throw new Error(`Not accessible:\n${found.join('\n')}`)
}

/** Keeps a picture of the page in e2e/shots, for people. */
export async function shot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(ui, 'e2e/shots', `${name}.png`) })
}

/** Asks again until the answer is there; fails after 15 seconds with what was asked. */
export async function eventually<T>(what: string, ask: () => Promise<T | null | undefined | false>): Promise<T> {
  const end = Date.now() + 15_000
  while (Date.now() < end) {
    const answer = await ask()
    if (answer !== null && answer !== undefined && answer !== false) return answer
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`not within 15 s: ${what}`)
}
