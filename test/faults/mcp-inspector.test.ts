import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const run = promisify(execFile);
/** The Inspector is not a dependency, because it is large and only this test needs it. */
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const items = generateItems(50);

/** The Inspector's command line calls every tool as its users do. Its first run downloads 110 MB. */
describe('the MCP Inspector', () => {
  let folder: string;
  let deployment: QueryDeployment | undefined;

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-inspector-'));
    try {
      await run('npm', [
        'install',
        '--prefix',
        folder,
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        INSPECTOR,
      ]);
    } catch (error) {
      process.stderr.write(
        `# skipped: npm could not install the Inspector: ${String(error).slice(0, 300)}\n`,
      );
      return this.skip();
    }
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(items);
    const { elasticsearch, prefix } = deployment;
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(
      elasticsearch,
      prefix,
      1,
      items.map(({ id }) => [id, 'updated'] as const),
    );
  });
  after(async () => {
    if (deployment) await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Fails if the Inspector exits with a code other than 0: 5 for a tool error, 6 for a schema error. */
  const inspect = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { stdout } = await run(process.execPath, [
      join(folder, 'node_modules/.bin/mcp-inspector'),
      ...[
        '--cli',
        `${deployment?.origin}/mcp`,
        '--transport',
        'http',
        '--format',
        'json',
        '--stored-auth-only',
      ],
      ...args,
    ]);
    return (JSON.parse(stdout) as { result: Record<string, unknown> }).result;
  };

  for (const era of ['auto', 'legacy'])
    it(`lists the tools strictly and calls each of them (${era})`, async () => {
      const [{ id } = { id: '' }] = items;
      const calls: Record<string, object> = {
        search_listings: { date: day(3) },
        get_listing: { id },
        check_availability: { id, date: day(3), date_to: day(5) },
        list_facets: { facet: 'category' },
        list_changes: { after: 0 },
      };
      const { tools } = await inspect('--protocol-era', era, '--method', 'tools/list', '--strict');
      const names = (tools as { name: string }[]).map(({ name }) => name);
      expect(names).to.deep.equal(Object.keys(calls));
      for (const [name, args] of Object.entries(calls)) {
        const call = [
          '--method',
          'tools/call',
          '--tool-name',
          name,
          '--tool-args-json',
          JSON.stringify(args),
        ];
        expect(await inspect('--protocol-era', era, ...call), name).to.have.property('structuredContent');
      }
    });
});
