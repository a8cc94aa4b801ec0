// A small server before the gateway: a proxy below a sub-path, or one that serves the page from a folder.
import { readFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

export interface FrontOptions {
  /** Where the gateway appears, such as `/gw/`. */
  prefix?: string
  /** A folder with the files of the page, served in place of those of the gateway. */
  dist?: string
}

// The same policy as the gateway's own, so that the page is tried under it here too.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; " +
  "connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"

const kinds: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

/** Starts the server on a free port. */
export async function front(gateway: string, { prefix = '/', dist }: FrontOptions): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse) {
    const path = incoming.url ?? '/'
    if (!path.startsWith(prefix)) return void outgoing.writeHead(404).end()
    const rest = path.slice(prefix.length)
    const file = rest === '' ? 'index.html' : (rest.split('?')[0] ?? '')
    const bytes = dist && incoming.method === 'GET' ? await readFile(join(dist, file)).catch(() => null) : null
    if (bytes) return void outgoing.writeHead(200, { 'content-type': kinds[extname(file)] ?? 'application/octet-stream', 'content-security-policy': policy }).end(bytes)
    forward(new URL(rest, gateway), incoming, outgoing)
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

function forward(to: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const onward = request(to, { method: incoming.method, headers: { ...incoming.headers, host: to.host } }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
    outgoing.flushHeaders()
    reply.pipe(outgoing)
  })
  onward.on('error', () => outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end())
  outgoing.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
