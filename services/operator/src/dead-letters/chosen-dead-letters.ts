import type { ScanProgress } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { type DeadLetterFilter, matches } from './dead-letter-filter.ts';
import { assertFound, partitionOf } from './dead-letter-ref.ts';
import { deadLetterRange, readDeadLetters } from './read-dead-letters.ts';
import { SettledDeadLetters } from './settled-dead-letters.ts';
import { identityOf, type StoredDeadLetter } from './stored-dead-letter.ts';

/** A dead letter by its ref, or all dead letters that match a filter. */
export type Chosen = { ref: string } | DeadLetterFilter;

/**
 * Reads the dead-letter topic before a command acts on the chosen dead letters in a second scan of the same
 * range. A mark follows its dead letter, so the second scan cannot act before the first one has found the
 * marks. A filter applies only to the newest dead letter of a record, as in the list, because an earlier one
 * can have another cause.
 * @returns what the second scan needs; `halves` reports the progress of the first or the second scan
 * @throws DeadLetterError if the requested dead letter does not exist; the signal's reason after an
 * interruption; KafkaError
 */
export async function findChosen(
  context: CommandContext,
  options: Chosen,
  onProgress: ((progress: ScanProgress) => void) | undefined,
) {
  const ref = 'ref' in options ? options.ref : undefined;
  const range = await deadLetterRange(context, ref === undefined ? undefined : partitionOf(ref));
  /** Maps the identity of a record to the ref of its newest dead letter. */
  const newest = new Map<string, string>();
  const chosen = (deadLetter: StoredDeadLetter): boolean =>
    'ref' in options
      ? deadLetter.ref === options.ref
      : newest.get(identityOf(deadLetter)) === deadLetter.ref && matches(deadLetter, options);
  const halves = (half: 0 | 1) =>
    onProgress &&
    (({ done, total }: ScanProgress) => onProgress({ done: half * total + done, total: 2 * total }));
  const settled = new SettledDeadLetters();
  let found: StoredDeadLetter | undefined;
  await readDeadLetters(
    context,
    range,
    (entry) => {
      settled.add(entry);
      if (entry.kind === 'mark') return;
      newest.set(identityOf(entry), entry.ref);
      if (chosen(entry)) found = entry;
    },
    halves(0),
  );
  if (ref !== undefined) assertFound(found, ref);
  return { ref, range, chosen, settled, halves };
}
