import type { StoredListing } from '../verify/stored-listing.ts';
import { type Comparing, compareLine, type DifferentMembers, type MissingReason } from './comparison.ts';
import type { Candidate } from './find-candidates.ts';
import type { SourceLine } from './source/source-line.ts';

/** A listing for which the source and the feed differ: one line of the report. */
export type ReportedDifference =
  | { id: string; kind: 'missing'; why: MissingReason }
  | { id: string; kind: 'extra' }
  | { id: string; kind: 'different'; members: DifferentMembers };

/**
 * The result for one candidate. `changed` means that the candidate differs, but that it received an event
 * after the moment of the dump, or that an event for it waits in the topic.
 */
export type CandidateResult =
  | { kind: 'equal' | 'changed'; difference?: never }
  | { kind: 'missing' | 'extra' | 'different'; difference: ReportedDifference };

export interface CandidateFacts {
  /** The current documents of the listing. */
  stored: StoredListing;
  /** Whether the state was written after the start of the command. */
  written: boolean;
  /** Whether an event for the listing waits in the topic. */
  pending: boolean;
  /** Whether a dead letter has the listing's id as its key. */
  hasDeadLetter: boolean;
}

/**
 * Determines the result for a candidate from the documents that it has now. Pure.
 * @param asOf the moment of the dump, in epoch milliseconds
 * @param now epoch milliseconds
 */
export function checkCandidate(
  [id, line]: Candidate,
  { stored, written, pending, hasDeadLetter }: CandidateFacts,
  comparing: Comparing,
  asOf: number,
  now = Date.now(),
): CandidateResult {
  const difference = line ? differenceOf(line, stored, hasDeadLetter, comparing) : extraOf(id, stored);
  if (!difference) return { kind: 'equal' };
  const last = stored.state?.last_time ?? 0;
  // A time in the future comes from a wrong clock and proves nothing.
  const isLater = written || pending || (last > asOf && last <= now);
  return isLater ? { kind: 'changed' } : { kind: difference.kind, difference };
}

const extraOf = (id: string, { item }: StoredListing): ReportedDifference | undefined =>
  item && { id, kind: 'extra' };

function differenceOf(
  line: SourceLine,
  stored: StoredListing,
  hasDeadLetter: boolean,
  comparing: Comparing,
): ReportedDifference | undefined {
  const result = compareLine(line, stored, comparing);
  const { id } = line;
  switch (result.kind) {
    case 'equal':
      return undefined;
    case 'missing':
      return {
        id,
        kind: 'missing',
        why: result.why === 'unseen' && hasDeadLetter ? 'dead-letter' : result.why,
      };
    case 'different':
      return { id, ...result };
  }
}
