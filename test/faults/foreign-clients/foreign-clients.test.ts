import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '@vitrine/feed-index';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../../support/engines.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../../support/query-service.ts';
import { runToEnd } from '../../support/run-to-end.ts';
import { npmCommand } from '../../support/service-process.ts';
import { CLIENTS, ENVIRONMENTS, type ForeignClient, type Installed } from './clients.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** A client that waits longer is broken, and its program is killed. */
const RUN_MS = 120_000;
const items = generateItems(60);
const DATES = [day(4), day(5)] as const;
const CITIES = ['Recife', 'Belo Horizonte'];

interface Schema {
  properties: Record<string, { type?: unknown }>;
  required?: string[];
  additionalProperties?: unknown;
}
interface Report {
  answers: { isError: boolean; value: unknown }[];
  schemas: Record<string, Schema>;
}

const isFree = ({ calendar }: Item, dates: readonly string[]): boolean =>
  dates.every((date) => calendar.some((entry) => entry.date === date && entry.available));

/** The calls of every client. The last one is wrong. */
const CALLS = [
  {
    name: 'search_listings',
    // Some models write an empty value in place of an argument that they do not need.
    arguments: {
      city: CITIES,
      category: [],
      cursor: '',
      date: DATES[0],
      date_to: DATES[1],
      sort: 'total_price',
      limit: 3,
    },
  },
  { name: 'check_availability', arguments: { id: ['item-0'], date: DATES[0], date_to: DATES[1] } },
  { name: 'list_facets', arguments: { facet: 'city' } },
  { name: 'search_listings', arguments: { date: 'tomorrow' } },
];

/**
 * Each client connects, lists the tools, converts their schemas as it does for its model, and calls tools. No
 * model takes part. A client whose packages or runtime are missing is skipped.
 */
describe('MCP clients of other projects', () => {
  const installed = new Map<string, Promise<Installed>>();
  let deployment: QueryDeployment;
  let served: Record<string, Schema>;
  let stdio: object;

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(items);
    const { client, close } = await connectMcp(`${deployment.origin}/mcp`);
    const { tools } = await client.listTools();
    served = Object.fromEntries(
      tools.map(({ name, inputSchema }) => [name, inputSchema as unknown as Schema]),
    );
    await close();
    const [, program = ''] = npmCommand('mcp');
    const { settings } = await engines();
    const env = {
      PATH: process.env.PATH ?? '',
      ELASTICSEARCH_URL: settings.ELASTICSEARCH_URL,
      INDEX_PREFIX: deployment.prefix,
      FEED_TODAY: TODAY,
    };
    stdio = { command: process.execPath, args: [join(ROOT, program)], env };
    // All environments are installed at once, because their installation mostly waits for registries.
    for (const [name, install] of Object.entries(ENVIRONMENTS)) installed.set(name, install());
    for (const [name, environment] of installed) {
      const found = await environment;
      if ('missing' in found) process.stderr.write(`# skipped: the clients of ${name}. ${found.missing}\n`);
    }
  });
  after(async () => {
    for (const environment of installed.values()) {
      const found = await environment;
      if ('remove' in found) await found.remove?.();
    }
    await deployment?.close();
  });

  const run = async (client: ForeignClient, connection: object): Promise<Report | undefined> => {
    const environment = await installed.get(client.environment);
    if (!environment || 'missing' in environment) return undefined;
    const [command = '', ...args] = await environment.command(client.program);
    const task = JSON.stringify({ ...connection, calls: CALLS });
    const { code, output } = await runToEnd(command, [...args, task, ...(client.args ?? [])], {
      timeout: RUN_MS,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(code, output.slice(-5_000)).to.equal(0);
    const report = output.split('\n').find((line) => line.startsWith('{"answers":'));
    return JSON.parse(report ?? output) as Report;
  };

  const expectReport = ({ answers, schemas }: Report, { strict }: ForeignClient): void => {
    expect(Object.keys(schemas)).to.have.members(Object.keys(served));
    for (const [tool, { properties }] of Object.entries(served)) {
      const schema = schemas[tool];
      for (const [name, { type }] of Object.entries(properties))
        expect(schema?.properties[name]?.type, `${tool} ${name}`).to.deep.equal(type);
      if (!strict) continue;
      expect(schema?.required, tool).to.have.members(Object.keys(properties));
      expect(schema?.additionalProperties, tool).to.equal(false);
    }
    expect(answers.map(({ isError }) => isError)).to.deep.equal(
      CALLS.map((_, number) => number === CALLS.length - 1),
    );
    const [search, availability, facets, refused] = answers.map(({ value }) => value);
    const free = items.filter((item) => CITIES.includes(item.feed_item.location.city) && isFree(item, DATES));
    expect(search).to.have.property('total', free.length);
    const totals = (search as { items: { total_price: number }[] }).items.map((item) => item.total_price);
    expect(totals)
      .to.have.length(3)
      .and.to.deep.equal(totals.toSorted((a, b) => a - b));
    expect(availability).to.include({ id: 'item-0', available: isFree(items[0] as Item, DATES) });
    const counts = Map.groupBy(items, ({ feed_item }) => feed_item.location?.city);
    const values = (facets as { values: { label: string; count: number }[] }).values;
    expect(values.map(({ label, count }) => [label, count])).to.have.deep.members(
      [...counts].map(([label, { length }]) => [label, length]),
    );
    expect(refused).to.be.a('string').that.includes('date');
  };

  for (const client of CLIENTS)
    for (const transport of ['HTTP', 'stdio'])
      it(`${client.name} ${client.version} over ${transport}`, async function () {
        const report = await run(client, transport === 'HTTP' ? { url: `${deployment.origin}/mcp` } : stdio);
        if (!report) return this.skip();
        expectReport(report, client);
      });

  it('are listed in the reference with their versions', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/agents.md'), 'utf8');
    for (const { name, version } of CLIENTS) expect(page).to.include(`\`${name}\` ${version}`);
  });
});
