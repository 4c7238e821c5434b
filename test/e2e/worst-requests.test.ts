import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import { Random, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { engines } from '../support/engines.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually, npmCommand, peakMemoryOf } from '../support/service-process.ts';
import { type HostileMarket, hostileMarket, MARKER } from '../support/worst/hostile-market.ts';
import { RequestGenerator, type WorstRequest } from '../support/worst/request-generator.ts';

const IS_FULL = process.env.VITRINE_FULL === '1';
/** Requests per interface. An export contains most of the market. */
const REQUESTS = IS_FULL ? 300 : 14;
const EXPORTS = IS_FULL ? 20 : 2;
const SEED = Number(process.env['WORST_SEED'] ?? 34);
/** The folder of the code under test. Another clone's folder shows what earlier code does. */
const ROOT = process.env['WORST_ROOT'];
const INTERFACES = ['tools', 'batch', 'ucp', 'ucp-mcp', 'feeds', 'changes', 'export'] as const;
/** The memory limit of the container (docs/operate/scaling.md). */
const MEMORY_MB = 512;
/** The probe's unit takes about 1 ms on an idle core, so this is the 100 ms in docs/operate/scaling.md. */
const MAX_TURN_UNITS = 100;
const MAX_TOKENS = 4_000;
const ATTEMPTS = 3;
const REFUSED_ATTEMPTS = 12;
const REFUSED_FOR_MS = 1_000;
/** Requests share a point in time and its counts for 5 s. */
const SHARED_FOR_MS = 6_000;
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** A turn of the event loop, as the probe measured it. */
interface Turn {
  units: number;
  ms: number;
  unitMs: number;
}

interface ToolMessage {
  result?: { content?: { text: string }[]; structuredContent?: object; isError?: boolean };
  error?: { message: string };
}

/** Fails if a part of an answer has too many tokens, or if a listing's text is outside quotation marks. */
function checkAnswers(request: WorstRequest, text: string): void {
  const messages = [JSON.parse(text) as ToolMessage | ToolMessage[]].flat();
  for (const { result, error } of messages) {
    const shown = result?.content?.[0]?.text ?? error?.message ?? '';
    const tokens =
      countTokens(shown, AS_TEXT) + countTokens(JSON.stringify(result?.structuredContent ?? {}), AS_TEXT);
    expect(tokens, `tokens of ${what(request)}`).to.be.at.most(MAX_TOKENS);
    expect(shown.replace(QUOTED, ''), `texts of ${what(request)}`).not.to.include(MARKER);
  }
}

const what = ({ path, body }: WorstRequest): string =>
  `${path} ${JSON.stringify(body ?? null).slice(0, 300)}`;

describe('the worst requests of each interface, from a generator', function () {
  this.timeout(IS_FULL ? 3_600_000 : 900_000);
  let query: QueryProcess;
  let market: HostileMarket;

  before(async () => {
    market = hostileMarket(new Random(SEED));
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    const probe = new URL('../support/worst/loop-probe.mjs', import.meta.url).href;
    query = await startQueryProcess(
      market.items,
      { ELASTICSEARCH_URL, FEED_TODAY: TODAY, TRUSTED_PROXIES: '1', NODE_OPTIONS: `--import=${probe}` },
      ROOT,
    );
    await createChangesIndex(query.elasticsearch, query.prefix, 1, 1);
    const entries = market.items.map(({ id }) => [id, 'updated'] as const);
    await writeEntries(query.elasticsearch, query.prefix, 1, entries, Date.now() - 3_600_000);
  });
  after(async () => {
    await deleteChanges(query.elasticsearch, query.prefix);
    await query.close();
  });

  const send = async ({ method, path, body }: WorstRequest) => {
    const response = await fetch(`${query.origin}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-03-26',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (method === 'POST') return { status: response.status, text: await response.text() };
    // Pages and exports are too large to keep.
    for await (const _ of response.body ?? []);
    return { status: response.status, text: '' };
  };

  let lastRequest = '';
  const failIfEnded = () => {
    const { exitCode, signalCode } = query.process.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`the process has ended (${exitCode ?? signalCode}) after ${lastRequest}`);
  };

  /** The longest turn of the event loop since the last call, in units of the probe. */
  let lines = 0;
  const longestTurn = async (): Promise<Turn> => {
    failIfEnded();
    process.kill(query.process.pid, 'SIGUSR2');
    const found = await eventually(
      'the probe answers',
      async () => {
        failIfEnded();
        return [...query.process.log().matchAll(/longest-turn (\{.*\})/g)][lines]?.[1];
      },
      120_000,
      20,
    );
    lines++;
    return JSON.parse(found) as Turn;
  };

  for (const name of INTERFACES)
    it(`${name}: no exit, no long turn, no answer above the token limit, texts in quotation marks`, async () => {
      const generator = new RequestGenerator(new Random(SEED), market);
      // The tokenizer loads with the first answer, once per process.
      await send({
        interface: 'tools',
        method: 'POST',
        path: '/mcp',
        body: {
          jsonrpc: '2.0',
          id: 0,
          method: 'tools/call',
          params: { name: 'search_listings', arguments: {} },
        },
      });
      await longestTurn();
      const failures: string[] = [];
      let worst = { units: 0, ms: 0, unitMs: 0, request: '' };
      for (let i = 0; i < (name === 'export' ? EXPORTS : REQUESTS); i++) {
        const request = generator.next(name);
        const ask = () => send(request).catch((error: unknown) => ({ status: 0, text: String(error) }));
        let answer = await ask();
        // A request that costs too much is refused every time. A busy machine refuses only some attempts.
        for (let attempt = 1; attempt < REFUSED_ATTEMPTS && answer.status === 503; attempt++) {
          await pass(REFUSED_FOR_MS);
          answer = await ask();
        }
        lastRequest = what(request);
        let turn = await longestTurn();
        // Garbage collection or a busy sibling of the core can lengthen one turn. A request that blocks the
        // loop does so each time, once the counts that it shares have expired.
        for (let attempt = 1; attempt < ATTEMPTS && turn.units > MAX_TURN_UNITS; attempt++) {
          await pass(SHARED_FOR_MS);
          await ask();
          turn = await longestTurn();
        }
        if (turn.units > worst.units) worst = { ...turn, request: what(request) };
        if (turn.units > MAX_TURN_UNITS)
          failures.push(
            `a turn of ${turn.ms.toFixed(0)} ms (${turn.units.toFixed(0)} units): ${what(request)}`,
          );
        try {
          expect(answer.status, what(request)).to.be.below(500).and.above(0);
          if (name === 'tools' || name === 'batch') checkAnswers(request, answer.text);
        } catch (error) {
          failures.push(String(error).slice(0, 600));
        }
        await pass(0);
      }
      const memory = peakMemoryOf(query.process.pid);
      process.stderr.write(
        `# ${name}: peak memory ${memory.toFixed(0)} MB, longest turn ${worst.ms.toFixed(0)} ms (${worst.units.toFixed(1)} units of ${worst.unitMs.toFixed(2)} ms): ${worst.request.slice(0, 160)}\n`,
      );
      expect(failures, failures.join('\n')).to.deep.equal([]);
      expect(memory).to.be.below(MEMORY_MB);
    });

  it('stdio: no exit, no answer above its tokens, texts in quotation marks', async () => {
    const [, ...args] = npmCommand('mcp', ROOT);
    const child = spawn(process.execPath, args, {
      ...(ROOT !== undefined && { cwd: ROOT }),
      env: {
        PATH: process.env.PATH,
        ELASTICSEARCH_URL: (await engines()).settings.ELASTICSEARCH_URL,
        INDEX_PREFIX: query.prefix,
        FEED_TODAY: TODAY,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (message: unknown) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      return ((await lines.next()) as { value?: string }).value ?? expect.fail('the process has ended');
    };
    try {
      const params = {
        protocolVersion: '2025-03-26',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      };
      await ask({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      const generator = new RequestGenerator(new Random(SEED), market);
      for (let i = 0; i < REQUESTS; i++) {
        const request = generator.next(i % 4 === 0 ? 'batch' : 'tools');
        checkAnswers(request, await ask(request.body));
      }
      expect(peakMemoryOf(child.pid ?? 0)).to.be.below(MEMORY_MB);
    } finally {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    }
  });

  it('two exports that one client does not read leave a place for another client', async () => {
    const opened: IncomingMessage[] = [];
    const exportOf = async (client: string) => {
      const headers = { 'X-Forwarded-For': client };
      const request = get(`${query.origin}/api/export`, { headers, agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      opened.push(response);
      return response.statusCode;
    };
    try {
      expect(await exportOf('192.0.2.1')).to.equal(200);
      await exportOf('192.0.2.1');
      expect(await exportOf('192.0.2.2')).to.equal(200);
    } finally {
      for (const response of opened) response.destroy();
    }
  });
});
