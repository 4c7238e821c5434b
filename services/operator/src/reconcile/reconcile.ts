import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import {
  describeMismatch,
  failedReconciliation,
  findGeneration,
  GenerationError,
  type ReconciliationCounts,
  type Registry,
} from '@vitrine/feed-index';
import {
  isWritable,
  readRegistry,
  readRoles,
  updateRegistry,
  versionsWith,
} from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { dateInSaoPaulo } from '../date-in-sao-paulo.ts';
import type { ReportedDifference } from './check-candidates.ts';
import { type ComparedSource, compareSource } from './compare-source.ts';
import { emitCorrections, publishCorrections } from './corrections/apply-corrections.ts';
import type { CorrectionCounts } from './corrections/corrections.ts';
import { excessiveRemovals, type MaxRemovals } from './corrections/max-removals.ts';
import { ReconcileRefusedError } from './corrections/reconcile-refused-error.ts';
import { completeFile } from './files/complete-file.ts';
import { assertDistinctFiles } from './files/distinct-files.ts';
import { FirstRows, MAX_ROWS, recordRows } from './recorded-rows.ts';
import { readSource } from './source/read-source.ts';

export interface ReconcileOptions {
  /** The path of the source, or the stream that carries it. */
  source: string | Readable;
  /** The time of the dump, in epoch milliseconds. Undefined means the current time. */
  asOf: number | undefined;
  /** Seconds to wait before the listings that differ are compared again. */
  settle: number;
  report?: string | undefined;
  /** The path for the correcting events. */
  emit?: string | undefined;
  /** Confirms the publication of the corrections. It is absent if they are not published. */
  confirmPublish?: ((corrections: CorrectionCounts) => Promise<boolean>) | undefined;
  maxRemovals: MaxRemovals;
}

export interface Reconciled {
  counts: ReconciliationCounts;
  /** The first differences of each kind. */
  examples: ReportedDifference[];
  /** The counts of the corrections, if the options ask for corrections. */
  corrections?: CorrectionCounts;
  /** The publication, if anything was to be published. `skipped` counts listings that changed meanwhile. */
  publication?: { published: number; skipped: number };
}

type OnProgress = (label: string, done: number, total: number) => void;

const CHUNK_BYTES = 256 * 1024;
const EXAMPLES_PER_KIND = 10;

/**
 * Compares a source with the live generation, records the result in the registry, and corrects the feed if
 * the options ask for corrections (docs/operate/reconcile.md). An interrupted run records nothing.
 * @throws SourceError; ReconcileRefusedError; GenerationError if this code does not read the live generation;
 * KafkaError; ElasticsearchClientError; file system errors
 */
export async function reconcile(
  context: CommandContext,
  options: ReconcileOptions,
  onProgress: OnProgress,
): Promise<Reconciled> {
  const { client, settings, log, signal } = context;
  const prefix = settings.INDEX_PREFIX;
  const number = await liveNumber(context);
  const asOf = options.asOf ?? Date.now();
  await assertDistinctFiles(options);
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-reconcile-'));
  try {
    const examples: ReportedDifference[] = [];
    const rows = new FirstRows<ReportedDifference>();
    let compared: ComparedSource;
    let refusal: string | undefined;
    try {
      compared = await compareAndReport(context, options, {
        number,
        asOf,
        folder,
        examples,
        rows,
        onProgress,
      });
      const at = new Date().toISOString();
      const { counts, corrections, items } = compared;
      const { removals, hiding } = corrections.counts;
      refusal = excessiveRemovals(options.maxRemovals, removals + hiding, items);
      await recordRows(
        context,
        { at, generation: number, differences: rows.rows, ...(refusal !== undefined && { refusal }) },
        corrections.path,
      );
      await updateRegistry(client, prefix, (registry) => ({
        ...registry,
        reconciliation: { at, as_of: new Date(asOf).toISOString(), ...counts },
      }));
    } catch (error) {
      if (!signal.aborted)
        await recordFailure(context, error).catch((failure: unknown) =>
          log.warn({ err: failure }, 'could not record the failed comparison'),
        );
      throw error;
    }
    if (refusal !== undefined && corrects(options)) throw new ReconcileRefusedError(refusal);
    const publication = await correct(context, options, compared, number, onProgress);
    return {
      counts: compared.counts,
      examples,
      ...(corrects(options) && { corrections: compared.corrections.counts }),
      ...(publication && { publication }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function liveNumber({ client, settings, rules }: CommandContext): Promise<number> {
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live }] = await Promise.all([readRegistry(client, prefix), readRoles(client, prefix)]);
  if (!registry || live === undefined)
    throw new GenerationError(`the prefix ${prefix} has no live generation`);
  const record = findGeneration(registry, live);
  if (!isWritable(record.versions, rules))
    throw new GenerationError(describeMismatch(record, versionsWith(rules)));
  return live;
}

interface Comparison {
  number: number;
  asOf: number;
  folder: string;
  examples: ReportedDifference[];
  rows: FirstRows<ReportedDifference>;
  onProgress: OnProgress;
}

async function compareAndReport(
  context: CommandContext,
  options: ReconcileOptions,
  { examples, rows, ...comparison }: Comparison,
): Promise<ComparedSource> {
  const { source, settle, report } = options;
  const kinds: Record<string, number> = {};
  const compare = (write: (difference: ReportedDifference) => Promise<void>) =>
    fromSource(context, source, comparison.onProgress, (lines) =>
      compareSource(context, lines, {
        ...comparison,
        settle,
        maxCorrections: corrects(options) ? Number.POSITIVE_INFINITY : MAX_ROWS,
        comparing: {
          rules: context.rules,
          today: context.settings.FEED_TODAY ?? dateInSaoPaulo(comparison.asOf),
        },
        onDifference: async (difference) => {
          const found = (kinds[difference.kind] ?? 0) + 1;
          kinds[difference.kind] = found;
          if (found <= EXAMPLES_PER_KIND) examples.push(difference);
          rows.add(difference);
          await write(difference);
        },
      }),
    );
  if (report === undefined) return compare(async () => undefined);
  return completeFile(report, (file) =>
    compare((difference) => {
      file.add(difference);
      return file.drain();
    }),
  );
}

/** Opens the source, and reads its first lines before `work`, so that a damaged source costs no scan. */
async function fromSource<T>(
  { signal }: CommandContext,
  source: string | Readable,
  onProgress: OnProgress,
  work: (lines: ReturnType<typeof readSource>) => Promise<T>,
): Promise<T> {
  const isFile = typeof source === 'string';
  const total = isFile ? await sizeOf(source) : undefined;
  const stream = isFile ? createReadStream(source, { highWaterMark: CHUNK_BYTES }) : source;
  let done = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
      done += chunk.length;
      onProgress('reading the source (bytes)', done, total ?? done);
      yield chunk;
    }
  };
  const lines = readSource(counted());
  try {
    const first = await lines.next();
    return await work(
      (async function* () {
        if (!first.done) yield first.value;
        yield* lines;
      })(),
    );
  } finally {
    stream.destroy();
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: Error) => {
    throw new Error(`could not read the source: ${error.message}`, { cause: error });
  });
  if (found.isDirectory()) throw new Error(`could not read the source: ${path} is a folder`);
  return found.size;
}

async function recordFailure({ client, settings }: CommandContext, error: unknown): Promise<void> {
  const at = new Date().toISOString();
  await updateRegistry(client, settings.INDEX_PREFIX, (registry: Registry) => {
    const reconciliation = failedReconciliation(registry.reconciliation, at, error);
    return reconciliation ? { ...registry, reconciliation } : registry;
  });
}

const corrects = ({ emit, confirmPublish }: ReconcileOptions) =>
  emit !== undefined || confirmPublish !== undefined;

async function correct(
  context: CommandContext,
  options: ReconcileOptions,
  { corrections }: ComparedSource,
  number: number,
  onProgress: OnProgress,
): Promise<Reconciled['publication']> {
  if (!corrects(options)) return undefined;
  const { emit, confirmPublish } = options;
  const { counts, path } = corrections;
  if (emit !== undefined) await emitCorrections(path, emit);
  const total = counts.removals + counts.snapshots;
  if (!confirmPublish || total === 0) return undefined;
  if (!(await confirmPublish(counts)))
    throw new ReconcileRefusedError('the publication was not confirmed, so nothing was published');
  return publishCorrections(context, path, number, (done) => onProgress('publishing', done, total));
}
