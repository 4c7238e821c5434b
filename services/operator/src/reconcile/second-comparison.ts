import type { CommandContext } from '../command-context.ts';
import { readListings, type StoredListing } from '../verify/stored-listing.ts';
import { type CandidateFacts, type CandidateResult, checkCandidate } from './check-candidates.ts';
import type { Comparing } from './comparison.ts';
import { IdCursor } from './files/id-cursor.ts';
import { readLineFile } from './files/line-file.ts';
import type { SortedRecords } from './files/sorted-records.ts';
import type { Candidate, Candidates } from './find-candidates.ts';

/** A candidate, its current documents, and the result of comparing them. */
export interface CheckedCandidate {
  candidate: Candidate;
  stored: StoredListing;
  result: CandidateResult;
}

export interface SecondComparison {
  /** The live generation. */
  number: number;
  comparing: Comparing;
  /** The moment of the dump in epoch milliseconds. */
  asOf: number;
  /** The listings whose states were written after the start of the command. */
  written: SortedRecords<[id: string]>;
  /** The listings whose events wait in the topic. */
  pending: SortedRecords<[id: string]>;
  deadLetters: SortedRecords<[id: string]> | undefined;
}

/** A listing with a ten-year calendar takes several hundred kilobytes, and the heap is bounded. */
const IDS_PER_READ = 100;

/**
 * Compares the candidates again with the documents that they have now. Reads no documents of a listing that
 * had none during the scan and has received none since.
 * @throws ElasticsearchClientError; file system errors
 */
export async function* compareAgain(
  { client, settings, signal }: CommandContext,
  { path }: Candidates,
  { number, comparing, asOf, written, pending, deadLetters }: SecondComparison,
): AsyncGenerator<CheckedCandidate[]> {
  const writtenIds = new IdCursor(written.pages());
  const pendingIds = new IdCursor(pending.pages());
  const deadIds = deadLetters && new IdCursor(deadLetters.pages());
  try {
    for await (const page of readLineFile<Candidate>(path))
      for (let from = 0; from < page.length; from += IDS_PER_READ) {
        const candidates = page.slice(from, from + IDS_PER_READ);
        const facts: Omit<CandidateFacts, 'stored'>[] = [];
        for (const [id] of candidates)
          facts.push({
            written: await writtenIds.has(id),
            pending: await pendingIds.has(id),
            hasDeadLetter: (await deadIds?.has(id)) ?? false,
          });
        const ids = candidates.flatMap(([id, , isHeld], i) => (isHeld || facts[i]?.written ? [id] : []));
        const documents = await readListings(client, settings.INDEX_PREFIX, number, ids);
        yield candidates.map((candidate, i): CheckedCandidate => {
          const stored = documents.get(candidate[0]) ?? {};
          const known = facts[i] as (typeof facts)[number];
          return {
            candidate,
            stored,
            result: checkCandidate(candidate, { stored, ...known }, comparing, asOf),
          };
        });
        signal.throwIfAborted();
      }
  } finally {
    await writtenIds.close();
    await pendingIds.close();
    await deadIds?.close();
  }
}
