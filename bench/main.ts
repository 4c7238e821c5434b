/** `npm run bench`: see bench/README.md. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Arena, openArena } from './arena.ts';
import { drawChart } from './chart.ts';
import { cached } from './parts/cached.ts';
import { costs } from './parts/costs.ts';
import { cpu } from './parts/cpu.ts';
import { growth } from './parts/growth.ts';
import { memory } from './parts/memory.ts';
import { paging } from './parts/paging.ts';
import { polling } from './parts/polling.ts';
import { projector } from './parts/projector.ts';
import { queries } from './parts/queries.ts';
import { replay } from './parts/replay.ts';
import { throughput } from './parts/throughput.ts';
import { visible } from './parts/visible.ts';
import { keepResult, type PartResult, readResults } from './results.ts';
import { tableOf } from './table.ts';

/** In the order in which they run: what fills the disk of Elasticsearch comes last. */
const PARTS: Readonly<Record<string, (arena: Arena) => Promise<PartResult>>> = {
  cached,
  polling,
  queries,
  throughput,
  cpu,
  paging,
  memory,
  visible,
  projector,
  replay,
  growth,
  costs,
};
/** They take long, so they run only when they are named. */
const ONLY_NAMED = new Set(['growth', 'costs']);
const DEFAULT_ITEMS = 300_000;

const HELP = `npm run bench -- [part …] [--items N]

Measures Vitrine against its peers on this machine, prints a table, and keeps every figure in bench/results.json.
Parts: ${Object.keys(PARTS).join(', ')}; all but ${[...ONLY_NAMED].join(', ')} unless some are named.
--items N   how many items the market has; ${DEFAULT_ITEMS} by default. Results of other sizes are kept too.
What each row means is in bench/README.md.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { items: { type: 'string', default: String(DEFAULT_ITEMS) }, help: { type: 'boolean', short: 'h', default: false } },
});
const items = Number(values.items);
const unknown = positionals.filter((name) => !(name in PARTS));
if (values.help) {
  console.log(HELP);
} else if (unknown.length > 0 || !Number.isInteger(items) || items < 3_000) {
  console.error(
    unknown.length > 0 ? `There is no part ${unknown.join(', ')}.\n\n${HELP}` : `--items must be a whole number from 3000 on.\n\n${HELP}`,
  );
  process.exitCode = 2;
} else await run(positionals.length > 0 ? positionals : Object.keys(PARTS).filter((name) => !ONLY_NAMED.has(name)));

async function run(names: string[]): Promise<void> {
  const arena = await openArena(items, tell);
  const results: Record<string, PartResult> = {};
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void arena.close().finally(() => process.exit(1)));
  try {
    for (const name of names) {
      const start = performance.now();
      tell(`part ${name}`);
      try {
        results[name] = await (PARTS[name] as (arena: Arena) => Promise<PartResult>)(arena);
        await keepResult(name, results[name], { items, versions: await versionsOf(arena) });
      } catch (error) {
        // The other parts may still say something.
        console.error(`# part ${name} failed:`, error);
        process.exitCode = 1;
      }
      tell(`part ${name} took ${Math.round((performance.now() - start) / 1_000)} s`);
    }
    await drawChart(await readResults());
  } finally {
    await arena.close();
  }
  console.log(tableOf(results));
}

async function versionsOf(arena: Arena): Promise<Record<string, string>> {
  const { nodes } = await arena.elasticsearch.nodes.info();
  const postgres = await arena.postgresVersion();
  const pom = await readFile(join(import.meta.dirname, '../infra/engines/pom.xml'), 'utf8');
  return {
    node: process.version,
    elasticsearch: Object.values(nodes)[0]?.version ?? 'unknown',
    kafka: arena.engines.source.kafka === 'environment' ? 'of the environment' : (/<kafka\.version>(.*)<\//.exec(pom)?.[1] ?? 'unknown'),
    ...(postgres && { postgresql: postgres }),
  };
}

function tell(message: string): void {
  console.error(`# ${message}`);
}
