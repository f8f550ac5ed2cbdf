// The official clients for JavaScript, in every way they have, against the program `workspace`:
//     node clients.mjs path/to/workspace
// They list and call tools, read a file, and say no and yes to a question. A line for each way; the
// first thing that is not as it should be ends it. Packages: @modelcontextprotocol/sdk and /client.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

// Packages are looked for where this is run, not where it lies.
const installed = createRequire(join(process.cwd(), 'package.json'));
const load = name => import(pathToFileURL(installed.resolve(name)));
const sdk = {
  ...await load('@modelcontextprotocol/sdk/client/index.js'),
  ...await load('@modelcontextprotocol/sdk/client/stdio.js'),
  ...await load('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ...await load('@modelcontextprotocol/sdk/types.js'),
};
const client = { ...await load('@modelcontextprotocol/client'), ...await load('@modelcontextprotocol/client/stdio') };

const program = process.argv[2];
const token = 'a-token-for-the-clients';
const home = mkdtempSync(join(tmpdir(), 'workspace-clients-'));
const policy = join(home, 'policy.toml');
writeFileSync(policy, '[shell]\nallow = ["touch"]\n');

async function check(way, made, transport, asksBy, root) {
  let answer;
  made.setRequestHandler(asksBy, () => answer);
  await made.connect(transport);
  const tools = (await made.listTools()).tools.map(tool => tool.name);
  assert.ok(tools.includes('read_file') && tools.includes('run_shell'), `${tools}`);
  const read = await made.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
  assert.deepEqual(read.content, [{ type: 'text', text: '     1\thello' }]);
  assert.equal(read.structuredContent.total_lines, 1);
  const { resources } = await made.listResources();
  const { contents } = await made.readResource({ uri: resources.find(file => file.name === 'a.txt').uri });
  assert.equal(contents[0].text, 'hello\n');

  const touch = { name: 'run_shell', arguments: { command: 'touch made' } };
  for (const no of [{ action: 'decline' }, { action: 'cancel' }]) {
    answer = no;
    const denied = await made.callTool(touch);
    assert.equal(denied.isError, true);
    assert.match(denied.content[0].text, /^approval-denied: /);
    assert.ok(!existsSync(join(root, 'made')), 'a no leaves no trace');
  }
  answer = { action: 'accept', content: { allow: true } };
  assert.equal((await made.callTool(touch)).structuredContent.exit_code, 0);
  assert.ok(existsSync(join(root, 'made')));
  rmSync(join(root, 'made'));
  await made.close();
  console.log(`${way}: ${tools.length} tools`);
}

/** Both packages, and the newer one by both ways of the protocol. */
function* ways(root, streams) {
  const who = { name: 'clients', version: '1' };
  const capabilities = { elicitation: { form: {} } };
  yield ['sdk', new sdk.Client(who, { capabilities }), streams(sdk), sdk.ElicitRequestSchema, root];
  for (const mode of ['auto', 'legacy']) {
    const options = { capabilities, versionNegotiation: { mode } };
    yield [`client, ${mode}`, new client.Client(who, options), streams(client), 'elicitation/create', root];
  }
}

try {
  const root = mkdtempSync(join(home, 'root-'));
  writeFileSync(join(root, 'a.txt'), 'hello\n');
  const args = ['mcp', '--root', root, '--policy', policy];
  const stdio = from => new from.StdioClientTransport({ command: program, args, stderr: 'ignore' });
  for (const [way, ...rest] of ways(root, stdio)) await check(`stdio, ${way}`, ...rest);

  const env = { ...process.env, WORKSPACE_MCP_TOKEN: token };
  const server = spawn(program, [...args, '--http', '127.0.0.1:0'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let url;
    for await (const line of createInterface({ input: server.stderr })) {
      url = line.match(/http:\S+/)?.[0];
      if (url) break;
    }
    assert.ok(url, 'the server tells its address');
    const headers = { Authorization: `Bearer ${token}` };
    const http = from => new from.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    for (const [way, ...rest] of ways(root, http)) await check(`http, ${way}`, ...rest);
  } finally {
    server.kill();
  }
} finally {
  rmSync(home, { recursive: true });
}
