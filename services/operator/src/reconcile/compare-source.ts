import { setTimeout as sleep } from 'node:timers/promises';
import type { ReconciliationCounts } from '@vitrine/feed-index';
import { GenerationError, generationNames } from '@vitrine/feed-index';
import { versionBound } from '@vitrine/listing-events';
import { readRoles } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import type { ReportedDifference } from './check-candidates.ts';
import type { Comparing } from './comparison.ts';
import { Corrections } from './corrections/corrections.ts';
import { readDeadLetterKeys } from './dead-letter-keys.ts';
import { type Candidates, findCandidates } from './find-candidates.ts';
import { heldListings } from './held-listings.ts';
import { readPendingListings } from './pending-listings.ts';
import { type ScannedListings, scanListings, writtenSince } from './scan-listings.ts';
import { compareAgain } from './second-comparison.ts';
import type { SourceLine } from './source/source-line.ts';

/** The live generation that the source is compared with. */
export interface ComparedLive {
  number: number;
  comparing: Comparing;
  /** The moment of the dump, in epoch milliseconds. */
  asOf: number;
  /** Seconds to wait before the listings that differ are compared again. */
  settle: number;
  /** An empty folder for temporary files. */
  folder: string;
  /** The maximum number of corrections to prepare. */
  maxCorrections: number;
  onProgress: (label: string, done: number, total: number) => void;
  /** Receives each difference, in ascending byte order of id. */
  onDifference: (difference: ReportedDifference) => Promise<void>;
}

export interface ComparedSource {
  counts: ReconciliationCounts;
  /** The number of live items. */
  items: number;
  corrections: Corrections;
}

/**
 * Compares a source with the live generation while projectors continue to write.
 * @param lines the source's lines in ascending byte order of id
 * @throws SourceError; GenerationError if another generation becomes live; KafkaError;
 * ElasticsearchClientError; file system errors
 */
export async function compareSource(
  context: CommandContext,
  lines: AsyncIterable<readonly SourceLine[]>,
  live: ComparedLive,
): Promise<ComparedSource> {
  const { client, settings, signal } = context;
  const { number, folder, comparing, settle } = live;
  const names = generationNames(settings.INDEX_PREFIX, number);
  const scanned = await scanListings(client, names, {
    folder,
    today: comparing.today,
    signal,
    onProgress: (done, total) => live.onProgress('reading the feed', done, total),
  });
  const candidates = await findCandidates(lines, heldListings(scanned.records), comparing, folder);
  if (candidates.count > 0 && settle > 0) await sleep(settle * 1_000, undefined, { signal });
  const compared = await checkAgain(context, live, scanned, candidates);
  const { live: now } = await readRoles(client, settings.INDEX_PREFIX);
  if (now !== number)
    throw new GenerationError(`generation ${now} became live during the comparison. Run reconcile again`);
  return { ...compared, items: scanned.items };
}

async function checkAgain(
  context: CommandContext,
  { number, comparing, asOf, folder, maxCorrections, onProgress, onDifference }: ComparedLive,
  scanned: ScannedListings,
  candidates: Candidates,
): Promise<Omit<ComparedSource, 'items'>> {
  const { client, settings, signal } = context;
  const { lines: source, count } = candidates;
  const corrections = await Corrections.create(folder, {
    asOf: new Date(asOf).toISOString(),
    rules: comparing.rules,
    maxVersion: versionBound(settings.MAX_VERSION)?.(),
  });
  const counts = { source, equal: source, missing: 0, extra: 0, different: 0, changed: 0 };
  try {
    if (count === 0) return { counts, corrections };
    const names = generationNames(settings.INDEX_PREFIX, number);
    // The topic is read first, so that an event which is folded meanwhile counts as written.
    const pending = await readPendingListings(
      context,
      number,
      { folder, name: 'pending' },
      ({ done, total }) => onProgress('reading waiting events', done, total),
    );
    const written = await writtenSince(client, names, scanned, { folder, signal });
    const deadLetters = candidates.hasUnseen
      ? await readDeadLetterKeys(context, folder, ({ done, total }) =>
          onProgress('reading dead letters', done, total),
        )
      : undefined;
    let done = 0;
    for await (const page of compareAgain(context, candidates, {
      number,
      comparing,
      asOf,
      written,
      pending,
      deadLetters,
    })) {
      for (const checked of page) {
        const { kind, difference } = checked.result;
        if (kind === 'equal') continue;
        counts[kind]++;
        if (checked.candidate[1]) counts.equal--;
        if (!difference) continue;
        await onDifference(difference);
        await corrections.add(checked, corrections.count < maxCorrections);
      }
      done += page.length;
      onProgress('comparing differences again', done, count);
    }
  } finally {
    await corrections.close();
  }
  return { counts, corrections };
}
