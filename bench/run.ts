import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { startEngines } from '@vitrine/engines';
import { InterruptedError } from '@vitrine/runtime/processes';
import { BenchContext } from './bench-context.ts';
import { drawChart } from './chart.ts';
import { PARTS, type Part } from './parts.ts';
import { type PartResult, readResults, storeResult } from './results.ts';
import { SharedData } from './shared-data.ts';
import { TimeLimitError, within } from './time-limit.ts';

export interface RunOptions {
  parts: readonly string[];
  items: number;
  /** Other checkouts of the repository that the `compare` part measures. */
  checkouts?: readonly string[];
  /** Replaces the time limit of every part. */
  limitSeconds?: number | undefined;
  /** The folder for `results.json` and `chart.svg`. */
  output: string;
  /** Ends the run when it aborts. The run keeps the results of complete and partial parts. */
  interruption: AbortSignal;
  tell(message: string): void;
}

/** This limit includes the engine download at the first start. */
const ENGINES_LIMIT_MS = 900_000;

/**
 * Starts the engines, runs the parts one after the other, stores each result, and stops everything.
 * @returns the results of the parts that ran. If a part failed or exceeded its time limit, its result
 *   contains the reason and the rows measured before
 */
export async function runBench(options: RunOptions): Promise<Record<string, PartResult>> {
  const { items, interruption, tell } = options;
  tell('engines');
  // If the start is interrupted, it stops everything that it has started before it rejects.
  const engines = await within('start of the engines', ENGINES_LIMIT_MS, new AbortController().signal, () =>
    startEngines({ elasticsearchHeap: '3g', onProgress: tell, signal: interruption }),
  );
  const shared = new SharedData(items, engines, interruption, tell, options.checkouts);
  const results: Record<string, PartResult> = {};
  try {
    for (const name of options.parts) {
      if (interruption.aborted) break;
      results[name] = await runPart(name, PARTS[name] as Part, shared, options);
    }
    await drawChart(options.output, await readResults(options.output));
  } finally {
    tell('stopping');
    await shared.close();
  }
  return results;
}

async function runPart(
  name: string,
  part: Part,
  shared: SharedData,
  options: RunOptions,
): Promise<PartResult> {
  const { items, interruption } = options;
  const limitSeconds = options.limitSeconds ?? Math.round(part.limitSeconds(items));
  const start = performance.now();
  options.tell(`${name}: time limit ${limitSeconds} s`);
  const context = new BenchContext(shared, interruption, (message) => options.tell(`${name}: ${message}`));
  let reason: string | undefined;
  try {
    await within(`part ${name}`, limitSeconds * 1_000, interruption, () => part.run(context));
  } catch (error) {
    reason = describe(error);
    const isExpected = error instanceof TimeLimitError || error instanceof InterruptedError;
    options.tell(`${name}: ${isExpected ? reason : inspect(error)}`);
  }
  const { rows, figures, notRun } = context;
  const result: PartResult = {
    status: statusOf(reason, rows.length),
    ...(reason !== undefined && { reason }),
    rows,
    figures,
    notRun,
  };
  await context.end();
  // If a part was interrupted before its first row, its older result stays.
  if (rows.length > 0 || !interruption.aborted) await store(name, result, shared, options);
  options.tell(`${name}: ${result.status} after ${Math.round((performance.now() - start) / 1_000)} s`);
  return result;
}

function describe(error: unknown): string {
  if (error instanceof InterruptedError) return `interrupted: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

const statusOf = (reason: string | undefined, rows: number): PartResult['status'] =>
  reason === undefined ? 'complete' : rows > 0 ? 'partial' : 'failed';

async function store(
  name: string,
  result: PartResult,
  shared: SharedData,
  { output, items, tell }: RunOptions,
): Promise<void> {
  const versions = await within('versions', 10_000, new AbortController().signal, () =>
    versionsOf(shared),
  ).catch((error: Error) => {
    tell(error.message);
    return { node: process.version };
  });
  await storeResult(output, name, result, { items, versions });
}

async function versionsOf(shared: SharedData): Promise<Record<string, string>> {
  const { nodes } = await shared.elasticsearch.nodes.info();
  const postgres = await shared.postgresVersion();
  const pom = await readFile(join(import.meta.dirname, '../infra/engines/pom.xml'), 'utf8');
  const ownKafka = shared.engines.source.kafka !== 'environment';
  return {
    node: process.version,
    elasticsearch: Object.values(nodes)[0]?.version ?? 'unknown',
    kafka: ownKafka ? (/<kafka\.version>(.*)<\//.exec(pom)?.[1] ?? 'unknown') : 'of the environment',
    ...(postgres && { postgresql: postgres }),
  };
}
