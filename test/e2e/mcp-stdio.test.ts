import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { npmCommand } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const [, ...COMMAND] = npmCommand('mcp');
const items = generateItems(30);
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

describe('MCP over stdio', () => {
  let deployment: QueryDeployment;
  let env: Record<string, string>;
  const start = (args: string[] = [], given: NodeJS.ProcessEnv = env): ChildProcess =>
    spawn(process.execPath, [...COMMAND, ...args], {
      cwd: ROOT,
      env: given,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  /** The exit code, and what the program wrote. */
  const ended = async (child: ChildProcess) => {
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'exit') as Promise<[number | null]>,
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
    ]);
    return { code, stdout, stderr };
  };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(items);
    const { settings } = await engines();
    env = {
      PATH: process.env.PATH ?? '',
      ELASTICSEARCH_URL: settings.ELASTICSEARCH_URL,
      INDEX_PREFIX: deployment.prefix,
      FEED_TODAY: TODAY,
    };
  });
  after(() => deployment?.close());

  it('serves the tools to a client that starts the program', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: COMMAND, cwd: ROOT, env }),
    );
    try {
      expect((await client.listTools()).tools).to.have.length(5);
      const { structuredContent } = await client.callTool({ name: 'search_listings', arguments: {} });
      expect(structuredContent).to.include({ total: items.length, today: TODAY });
    } finally {
      await client.close();
    }
  });

  it('writes only messages to its output, and ends with its input', async () => {
    const child = start();
    child.stdin?.write(`${INITIALIZE}\n`);
    await once(child.stdout as NodeJS.ReadableStream, 'readable');
    child.stdin?.end();
    const { code, stdout, stderr } = await ended(child);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: number }).id),
    ).to.deep.equal([1]);
  });

  it('answers a byte-order mark, a batch that cancels its own request, and broken JSON', async () => {
    const child = start();
    const search = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'search_listings' } };
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
    child.stdin?.end(`\uFEFF${INITIALIZE}\n${JSON.stringify([search, cancel])}\n{"broken\n`);
    const { code, stdout } = await ended(child);
    expect(code).to.equal(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(answers).to.have.length(3);
    expect(answers.find((answer) => (answer as { id?: unknown }).id === 1)).to.have.property('result');
    expect(answers.find((answer) => (answer as { id?: unknown }).id === null))
      .to.have.property('error')
      .that.includes({ code: -32_700 });
    const batch = answers.find((answer) => Array.isArray(answer)) as { id: number; result: object }[];
    expect(batch.map(({ id }) => id)).to.deep.equal([2]);
    expect(batch[0]).to.have.nested.property('result.structuredContent.total', items.length);
  });

  it('ends with exit code 0 after SIGTERM', async () => {
    const child = start();
    child.stdin?.write(`${INITIALIZE}\n`);
    await once(child.stdout as NodeJS.ReadableStream, 'readable');
    child.kill('SIGTERM');
    expect((await ended(child)).code).to.equal(0);
  });

  it('explains itself, and names a missing setting', async () => {
    const help = await ended(start(['--help']));
    expect([help.code, help.stderr]).to.deep.equal([0, '']);
    expect(help.stdout).to.include('ELASTICSEARCH_URL');
    const { code, stdout, stderr } = await ended(start([], { PATH: process.env.PATH }));
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr)
      .to.include('ELASTICSEARCH_URL')
      .and.not.to.match(/\n\s+at /);
  });
});
