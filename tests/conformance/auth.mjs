// The client that the suite's scenarios of authorization start: the gateway in front of the scenario's server, a person
// who agrees to every sign-in that the gateway asks for, and the official client in front of the gateway. LOCKGATE is
// the program and CLIENT_MODE how the client finds its era; the last argument is the server's address.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

// What the scenario says the gateway is known as.
function registration() {
  if (!context.client_id) return undefined;
  const ownToken = scenario.startsWith('auth/client-credentials');
  return {
    clientId: context.client_id,
    clientSecret: context.client_secret,
    privateKey: context.private_key_pem,
    issuer: context.issuer,
    grant: ownToken ? 'client-credentials' : 'authorization-code',
  };
}

// One scenario wants to see the address of a document that nobody can read.
const http = scenario === 'auth/basic-cimd' ? { publicUrl: 'https://conformance-test.local' } : {};
const config = {
  http,
  startup: { onServerFailure: 'degrade' },
  servers: [{ name: 'suite', url, oauth: registration() }],
};

const folder = mkdtempSync(join(tmpdir(), 'lockgate-auth-'));
writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify(config));

const port = await new Promise((found) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => found(port));
  });
});
const base = `http://127.0.0.1:${port}`;
const args = ['serve', '--config', join(folder, 'gateway.yaml'), '--data', folder, '--port', String(port)];
const gateway = spawn(process.env.LOCKGATE, args, { stdio: ['ignore', 'ignore', 'inherit'] });
const ended = new Promise((done) => gateway.once('exit', done));

async function ready() {
  for (let tries = 0; tries < 600; tries += 1) {
    const health = await fetch(`${base}/health`).catch(() => undefined);
    if (health?.ok) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('the gateway did not start');
}

const view = async () => (await (await fetch(`${base}/api/servers`)).json())[0];

// The person: opens the address, agrees, and is sent back. Whether that worked.
async function signIn() {
  const begun = await fetch(`${base}/api/servers/suite/sign-in`, { method: 'POST' });
  const body = await begun.json();
  if (!begun.ok) {
    console.error(body.error.message);
    return false;
  }
  const agreed = await fetch(body.url, { redirect: 'manual' });
  const back = new URL(agreed.headers.get('location'));
  const done = await fetch(`${base}${back.pathname}${back.search}`);
  if (!done.ok) console.error(await done.text());
  return done.ok;
}

// Signs in as often as the gateway asks for it, which it must not do for ever.
async function enter() {
  for (let tries = 0; tries < 5; tries += 1) {
    if (!(await view()).needsSignIn || !(await signIn())) return;
  }
}

// One failure does not keep the rest from being tried; the scenario judges what it saw.
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    console.error(String(error));
    return undefined;
  }
}

await ready();
await enter();
const client = new Client({ name: 'driver', version: '1' }, { versionNegotiation: { mode: process.env.CLIENT_MODE } });
await attempt(() => client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`))));
const tools = (await attempt(() => client.listTools()))?.tools ?? [];
for (const { name } of tools) {
  const called = await attempt(() => client.callTool({ name, arguments: {} }));
  if (called === undefined && (await view()).needsSignIn) {
    await enter();
    await attempt(() => client.callTool({ name, arguments: {} }));
  }
}
await attempt(() => client.close());
gateway.kill();
await ended;
rmSync(folder, { recursive: true });
process.exit(0);
