// Drives a server with the official TypeScript clients: every tool, resource and prompt, and the roots.
// usage: node drive.mjs SDK ERA TRANSPORT   (SDK: v1 or v2; ERA: handshake or none; TRANSPORT: stdio or http)
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';

const [sdk, era, kind] = process.argv.slice(2);
const { MEMDIR, HOME, MCP_URL, MCP_TOKEN } = process.env;
const name = `${sdk}-${era}-${kind}`;
const root = `${HOME}/root-${name}`;
mkdirSync(root, { recursive: true });

const capabilities = { roots: { listChanged: true } };
const roots = async () => ({ roots: [{ uri: `file://${root}`, name: 'root' }] });
let client, transport;
const news = [];
const env = { HOME, PATH: process.env.PATH };
const stdio = { command: MEMDIR, args: ['mcp', '--memory-tool'], env, cwd: HOME };
const http = { requestInit: { headers: { Authorization: `Bearer ${MCP_TOKEN}` } } };
const info = { name: `ts-${name}`, version: '1' };
if (sdk === 'v1') {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { ListRootsRequestSchema, ResourceListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
  client = new Client(info, { capabilities });
  client.setRequestHandler(ListRootsRequestSchema, roots);
  client.setNotificationHandler(ResourceListChangedNotificationSchema, (message) => { news.push(message); });
  transport = kind === 'stdio' ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(new URL(MCP_URL), http);
} else {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const mode = era === 'none' ? { pin: '2026-07-28' } : 'legacy';
  client = new Client(info, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('roots/list', roots);
  client.setNotificationHandler('notifications/resources/list_changed', (message) => { news.push(message); });
  transport = kind === 'stdio' ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(new URL(MCP_URL), http);
}
await client.connect(transport);
assert.match(client.getInstructions(), /memdir/);
if (era === 'handshake') {
  assert.equal(client.getServerVersion().name, 'memdir');
  await client.ping();
}

const { tools } = await client.listTools();
const expected = ['search', 'read', 'save', 'edit', 'forget', 'journal', 'sessions'];
assert.deepEqual(tools.map((tool) => tool.name).filter((tool) => tool !== 'memory'), expected);
const call = async (tool, args) => {
  const result = await client.callTool({ name: tool, arguments: args });
  assert.ok(!result.isError, `${tool}: ${JSON.stringify(result)}`);
  return result;
};
const saved = await call('save', { name: 'zebra', description: 'about zebras', type: 'project', text: 'Zebras cross at dawn.' });
assert.match(saved.structuredContent.paths[0], new RegExp(`-root-${name}/memory/zebra.md`), 'the root decides the project');
const found = await call('search', { query: 'dawn', limit: 3 });
assert.equal(found.structuredContent.hits[0].uri, 'memory://memories/zebra.md');
assert.match((await call('read', { name: 'zebra' })).content[0].text, /Zebras cross at dawn/);
await call('edit', { name: 'zebra', old: 'dawn', new: 'dusk' });
await call('edit', { name: 'zebra', field: 'description', value: 'about stripes' });
for (const args of [
  { action: 'start' }, { action: 'task', title: 'Count zebras' }, { action: 'progress', steps: ['look', 'count'], check: ['1'] },
  { action: 'block', title: 'fog' }, { action: 'unblock' }, { action: 'decide', title: 'Count twice', text: 'Once is not enough.', category: 'process' },
  { action: 'analyze', title: 'src/zebra.rs', text: 'Stripes.' }, { action: 'note', title: 'Fog lifts at nine' }, { action: 'status' },
  { action: 'recover' }, { action: 'list' }, { action: 'done' }, { action: 'rebuild' }, { action: 'stop' },
]) await call('journal', args);
await call('sessions', {});
if (kind === 'stdio') await call('memory', { command: 'view', path: '/memories' });
const wrong = await client.callTool({ name: 'read', arguments: { name: 'no-such' } });
assert.ok(wrong.isError);
await assert.rejects(client.callTool({ name: 'no-such', arguments: {} }));

// Without a session only requests that the server may ask back about know the root.
if (era === 'handshake' || kind === 'stdio') {
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === 'memory://memories/zebra.md'));
}
const { resourceTemplates } = await client.listResourceTemplates();
assert.equal(resourceTemplates[0].uriTemplate, 'memory://memories/{+path}');
const { contents } = await client.readResource({ uri: 'memory://memories/zebra.md' });
assert.match(contents[0].text, /Zebras cross at dusk/);
await assert.rejects(client.readResource({ uri: 'memory://memories/no-such.md' }));
const { prompts } = await client.listPrompts();
assert.deepEqual(prompts.map((prompt) => prompt.name), ['start', 'stop', 'status', 'rebuild', 'workspace', 'user', 'review']);
for (const prompt of prompts) assert.ok((await client.getPrompt({ name: prompt.name })).messages.length > 0);
if (era === 'handshake' || kind === 'stdio') {
  const ref = { type: 'ref/resource', uri: 'memory://memories/{+path}' };
  const { completion } = await client.complete({ ref, argument: { name: 'path', value: 'zeb' } });
  assert.deepEqual(completion.values, ['zebra.md']);
}
if (era === 'handshake') {
  news.length = 0;
  const memory = saved.structuredContent.paths[0].replace('zebra.md', 'gnu.md');
  writeFileSync(memory, 'gnus graze\n');
  await client.subscribeResource({ uri: 'memory://memories/gnu.md' });
  for (let waited = 0; news.length === 0 && waited < 50; waited++) await new Promise((done) => setTimeout(done, 100));
  assert.ok(news.length > 0, 'the client hears of a new memory');
  assert.equal((await call('search', { query: 'graze' })).structuredContent.hits.length, 1);
}
await call('forget', { name: 'zebra' });
if (kind === 'http' && era === 'handshake') await transport.terminateSession();
await client.close();
console.log(`ok: TypeScript ${name}`);
