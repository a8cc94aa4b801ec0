// The official TypeScript client. Its one argument is JSON: {mode, transport, target, calls}; what it found
// goes to standard output as JSON.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { mode, transport, target, calls } = JSON.parse(process.argv[2]);

function connection() {
  if (transport === 'stdio') {
    return new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: 'ignore' });
  }
  const url = new URL(target[0]);
  return transport === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}

const client = new Client(
  { name: 'typescript', version: '1' },
  { versionNegotiation: { mode }, capabilities: { sampling: {}, elicitation: {}, roots: {} } },
);
client.setRequestHandler('sampling/createMessage', () => ({
  role: 'assistant',
  model: 'none',
  content: { type: 'text', text: 'from the model' },
}));
client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
client.setRequestHandler('roots/list', () => ({ roots: [] }));

await client.connect(connection());
const tools = await client.listTools();
const results = [];
const progress = [];
for (const call of calls) {
  // The client adds reports of its own about the rounds of a call, without a total.
  const onprogress = (step) => step.total && progress.push(step.progress);
  results.push(await client.callTool(call, { onprogress }));
}
const found = {
  version: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion(),
  tools: tools.tools.map((tool) => tool.name),
  results,
  progress,
};
await client.close();
process.stdout.write(JSON.stringify(found), () => process.exit(0));
