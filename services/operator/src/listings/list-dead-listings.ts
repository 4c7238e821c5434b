import type { CommandContext } from '../command-context.ts';
import { readCorrectedDeadLetters } from '../dead-letters/corrected-dead-letters.ts';
import { matches } from '../dead-letters/dead-letter-filter.ts';
import { deadLetterRange, readDeadLetters } from '../dead-letters/read-dead-letters.ts';
import { recordSource } from '../dead-letters/record-source.ts';
import type { StoredDeadLetter } from '../dead-letters/stored-dead-letter.ts';
import { CurrentDeadLetters } from './current-dead-letters.ts';
import type { Listed, ListingsPage, ListProgress, ListQuery, PageQuery } from './listed.ts';
import { SmallestIds } from './smallest-ids.ts';

interface DeadListing {
  count: number;
  newest: Pick<StoredDeadLetter, 'ref' | 'reason' | 'detail' | 'time'>;
}

/**
 * Lists the listings with open dead letters. Reads the dead-letter topic twice: first the
 * marks of the retries, then the dead letters. A dead letter without a key belongs to no listing.
 * @throws the signal's reason after an interruption; Kafka's errors
 */
export async function listDeadListings(
  context: CommandContext,
  { name, source, containing = '' }: ListQuery,
  { limit, after }: PageQuery,
  onProgress: (progress: ListProgress) => void,
): Promise<ListingsPage> {
  const range = await deadLetterRange(context);
  const current = new CurrentDeadLetters();
  const half =
    (part: 0 | 1) =>
    ({ done, total }: ListProgress) =>
      onProgress({ done: part * total + done, total: 2 * total });
  await readDeadLetters(context, range, (entry) => current.add(entry), half(0));

  const filter = name === undefined ? {} : { reason: name };
  const ids = new Set<string>();
  const kept = new SmallestIds<DeadListing>(limit, after);
  const isOpen = (entry: StoredDeadLetter): boolean =>
    entry.key?.includes(containing) === true &&
    current.has(entry) &&
    matches(entry, filter) &&
    (source === undefined || recordSource(entry.record) === source);
  await readCorrectedDeadLetters(
    context,
    range,
    isOpen,
    (entry, corrected) => {
      if (entry.kind === 'mark' || entry.key === null || corrected !== undefined || !isOpen(entry)) return;
      ids.add(entry.key);
      kept.update(entry.key, (known) => withDeadLetter(known, entry));
    },
    half(1),
  );
  const { entries, isLast } = kept.page();
  const next = isLast ? undefined : entries.at(-1)?.[0];
  return {
    listings: entries.map(([id, listing]) => listed(id, listing)),
    total: ids.size,
    ...(next !== undefined && { next }),
  };
}

function withDeadLetter(known: DeadListing | undefined, deadLetter: StoredDeadLetter): DeadListing {
  const { ref, reason, detail, time } = deadLetter;
  const isNewest = !known || Date.parse(time) >= Date.parse(known.newest.time);
  return { count: (known?.count ?? 0) + 1, newest: isNewest ? { ref, reason, detail, time } : known.newest };
}

const listed = (id: string, { count, newest: { ref, reason, detail } }: DeadListing): Listed => ({
  id,
  reason,
  detail: `${count === 1 ? 'dead letter' : `${count} dead letters, newest`} ${ref}${detail && `: ${detail}`}`,
});
