// The client that the suite's client scenarios start: the gateway in front of the scenario's server, and the
// official client in front of the gateway. LOCKGATE is the program and CLIENT_MODE how the client finds its era;
// the last argument is the server's address.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const url = process.argv.at(-1);
const mode = process.env.CLIENT_MODE;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

const folder = mkdtempSync(join(tmpdir(), 'lockgate-driver-'));
writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify({ servers: [{ name: 'suite', url }] }));

const client = new Client(
  { name: 'driver', version: '1' },
  {
    versionNegotiation: { mode },
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
  },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
client.setRequestHandler('sampling/createMessage', () => ({
  role: 'assistant',
  model: 'none',
  content: { type: 'text', text: 'from the model' },
}));
client.setRequestHandler('roots/list', () => ({ roots: [] }));

// What a tool is called with when the scenario does not say.
function call(tool) {
  const numbers = Object.keys(tool.inputSchema.properties ?? {}).filter(
    (name) => ['number', 'integer'].includes(tool.inputSchema.properties[name].type),
  );
  const values = Object.fromEntries(numbers.map((name, n) => [name, n + 1]));
  // One scenario wants to see the schema of the other tool as it arrived.
  if (tool.inputSchema.properties?.schema) values.schema = tools.find((other) => other !== tool)?.inputSchema;
  return { name: tool.name, arguments: values };
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

const args = ['stdio', '--config', join(folder, 'gateway.yaml'), '--data', folder];
await client.connect(new StdioClientTransport({ command: process.env.LOCKGATE, args, stderr: 'inherit' }));
const tools = (await attempt(() => client.listTools()))?.tools ?? [];
await Promise.all((context.toolCalls ?? tools.map(call)).map((each) => attempt(() => client.callTool(each))));
const capabilities = client.getServerCapabilities() ?? {};
if (capabilities.resources) {
  const resources = (await attempt(() => client.listResources()))?.resources ?? [];
  for (const { uri } of resources) await attempt(() => client.readResource({ uri }));
}
if (capabilities.prompts) {
  const prompts = (await attempt(() => client.listPrompts()))?.prompts ?? [];
  for (const { name } of prompts) await attempt(() => client.getPrompt({ name }));
}
await client.close();
rmSync(folder, { recursive: true });
process.exit(0);
