import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { findJavas, pickJava } from '@vitrine/engines/testing';
import type { Item } from '@vitrine/feed-index';
import { TODAY } from '@vitrine/fixtures';
import type { OpenApiDocument } from '@vitrine/query';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { describedResponses } from './described-responses.ts';
import { hostileItems } from './hostile-listings.ts';
import { ask } from './http-answer.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAMS = join(ROOT, 'docs/clients');
/**
 * The programs that crawl by cursor, each with the command that runs it. The documentation site shows them.
 */
const CRAWLERS = [
  [process.execPath, 'crawl-by-cursor.mjs'],
  ['python3', 'crawl-by-cursor.py'],
] as const;
const ITEMS = 150;
/** With this current date, the agent feed serves the complete calendar of a hostile listing. */
const HORIZON_DAYS = '1096';

/** The repository's own strict compiler options, adapted to programs that import generated files. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['*.ts', 'generated'],
};

/** Runs the programs of docs/clients against a real service with hostile but valid listings. */
describe('contract: third-party clients', () => {
  const seed = Number(process.env.VITRINE_SEED ?? Math.floor(Math.random() * 2 ** 31));
  let deployment: QueryDeployment;
  let folder: string;
  let base: string;
  let items: Item[];

  before(async () => {
    process.stderr.write(`# VITRINE_SEED=${seed}\n`);
    items = hostileItems(ITEMS, seed);
    deployment = await startQuery({ env: { FEED_TODAY: TODAY, AVAILABILITY_HORIZON_DAYS: HORIZON_DAYS } });
    await deployment.createIndex(items);
    base = `${deployment.origin}/api`;
    folder = await mkdtemp(join(tmpdir(), 'vitrine-clients-'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    for (const program of ['openapi-fetch.ts', 'hey-api.ts'])
      await copyFile(join(PROGRAMS, program), join(folder, program));
    await generate(base, folder);
  });
  after(async () => {
    await deployment?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  const catalog = () => items.map(({ feed_item }) => asJson(feed_item));
  const agent = () =>
    items.map(({ feed_item, calendar }) => asJson({ ...feed_item, availability: calendar }));

  it('the generated code and the programs compile without a type error', async () => {
    const { code, output } = await run(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]);
    expect(code, output).to.equal(0);
  });

  for (const way of ['page', 'cursor', 'link']) {
    it(`a client of openapi-typescript crawls the agent feed by ${way}`, async () => {
      expect(await crawled(process.execPath, [join(folder, 'openapi-fetch.ts'), base, way])).to.deep.equal(
        agent(),
      );
    });
    it(`a client of hey-api, which validates every page with zod, crawls the catalog feed by ${way}`, async () => {
      expect(await crawled(process.execPath, [join(folder, 'hey-api.ts'), base, way])).to.deep.equal(
        catalog(),
      );
    });
  }

  it('every page of both feeds satisfies its response schema, including formats', async () => {
    const described = describedResponses(
      JSON.parse((await ask(`${base}/openapi.json`)).text) as OpenApiDocument,
    );
    for (const [operation, path] of [
      ['getPublicFeed', '/public-feed'],
      ['getAiFeed', '/ai-feed'],
      ['getAiFeedByType', '/ai-feed/rent'],
    ] as const) {
      for (let page = 1, pageCount = 1; page <= pageCount; page++) {
        const answer = await ask(`${base}${path}?pageSize=50&page=${page}`);
        described.expectDescribed(operation, answer, `${path} ${page}`);
        pageCount = (JSON.parse(answer.text) as { meta: { pageCount: number } }).meta.pageCount;
      }
    }
  });

  for (const [interpreter, program] of CRAWLERS)
    it(`${program} reads every item`, async function () {
      if ((await run(interpreter, ['--version'])).code !== 0) this.skip();
      expect(await crawled(interpreter, [join(PROGRAMS, program), `${base}/public-feed`])).to.deep.equal(
        catalog(),
      );
    });

  it('the program with curl and jq reads every item', async function () {
    for (const tool of ['curl', 'jq']) if ((await run(tool, ['--version'])).code !== 0) this.skip();
    const rent = items
      .filter(({ ad_type }) => ad_type === 'rent')
      .map(({ feed_item, calendar }) => asJson({ ...feed_item, availability: calendar }));
    expect(rent).to.have.length.above(5);
    expect(
      await crawled('sh', [join(PROGRAMS, 'crawl-by-cursor.sh'), `${base}/ai-feed/rental`]),
    ).to.deep.equal(rent);
  });

  for (const [interpreter, program] of CRAWLERS)
    it(`${program} waits after 429 and 503 as Retry-After says, and misses no items`, async function () {
      if ((await run(interpreter, ['--version'])).code !== 0) this.skip();
      const refusals = [429, 503, 429];
      const arrivals: number[] = [];
      const proxy = createServer(async ({ url }, response) => {
        arrivals.push(performance.now());
        const refusal = arrivals.length > 1 ? refusals.shift() : undefined;
        if (refusal) return response.writeHead(refusal, { 'Retry-After': '1' }).end('{}');
        response.end(await (await fetchAccepted(`${deployment.origin}${url}`)).text());
      }).listen(0, '127.0.0.1');
      try {
        await once(proxy, 'listening');
        const feed = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/public-feed`;
        expect(await crawled(interpreter, [join(PROGRAMS, program), feed])).to.deep.equal(catalog());
        expect(refusals).to.deep.equal([]);
        for (const refused of [1, 2, 3])
          expect((arrivals[refused + 1] ?? 0) - (arrivals[refused] ?? 0)).to.be.above(900);
      } finally {
        proxy.close();
      }
    });

  it('a Java program follows the Link headers to the end, and parses every item URL as java.net.URI', async function () {
    const java = pickJava(await findJavas(process.env, false));
    if (!java) {
      process.stderr.write('# skipped: the Java program needs Java 21 or newer\n');
      return this.skip();
    }
    const program = join(PROGRAMS, 'CrawlByLink.java');
    for (const [path, adType] of [
      ['/public-feed/service?pageSize=7', 'service'],
      ['/ai-feed/rental?cursor=*&pageSize=7', 'rent'],
    ] as const) {
      const expected = items
        .filter(({ ad_type }) => adType === undefined || ad_type === adType)
        .map(({ feed_item }) => feed_item.url);
      expect(expected.length).to.be.above(14);
      const { code, output } = await run(join(java.home, 'bin', 'java'), [
        '-XX:TieredStopAtLevel=1',
        program,
        `${base}${path}`,
      ]);
      expect(code, output).to.equal(0);
      expect(output.trim().split('\n')).to.deep.equal(expected);
    }
  });
});

/**
 * Runs the commands in the programs' comments. They generate types for openapi-fetch, and a hey-api client
 * that validates with zod.
 */
async function generate(base: string, folder: string): Promise<void> {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as Parameters<typeof openapiTS>[0] &
    Record<string, unknown>;
  await writeFile(join(folder, 'schema.ts'), astToString(await openapiTS(document)));
  await createClient({
    input: document,
    output: { path: join(folder, 'generated'), module: { extension: '.ts' } },
    plugins: [
      '@hey-api/typescript',
      '@hey-api/client-fetch',
      'zod',
      { name: '@hey-api/sdk', validator: true },
    ],
    logs: { level: 'silent', file: false },
  });
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function crawled(command: string, args: string[]): Promise<unknown[]> {
  const { code, output } = await run(command, args);
  expect(code, output.slice(0, 5_000)).to.equal(0);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

function run(command: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, errors]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(code === 0 ? out : [...out, ...errors]).toString() }),
    );
  });
}
