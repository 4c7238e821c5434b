import { deadLetterTopic, recordBytes, type ScanProgress, sendInHalves } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { type Chosen, findChosen } from './chosen-dead-letters.ts';
import { readCorrectedDeadLetters } from './corrected-dead-letters.ts';
import { dismissalMark, identityOf } from './stored-dead-letter.ts';

/**
 * Selects a dead letter by its ref, or all open dead letters that match a filter. A dry run writes nothing.
 */
export type DismissOptions = Chosen & {
  /** Why the dead letters need no further action, in the operator's words. */
  why: string;
  dryRun: boolean;
};

export interface DismissResult {
  dryRun: boolean;
  /** The number of records that this command dismissed, or that a dry run would dismiss. */
  dismissed: number;
  /** The numbers of selected records that had already been dismissed, sent again or corrected. */
  alreadyDismissed: number;
  alreadyRetried: number;
  alreadyCorrected: number;
}

const MARKS_PER_SEND = 500;
/** Kafka limits the size of a batch, and a mark has the key of its record. */
const MAX_SEND_BYTES = 512 * 1024;

/**
 * Dismisses dead letters: writes a mark with the reason to the dead-letter topic, beside the dead letter. The
 * mark applies to the record, so neither a replay nor a second reading of the topic brings the dead letter
 * back. A repetition writes nothing, for example after a lost response.
 * @throws DeadLetterError if the requested dead letter does not exist; the signal's reason after an
 * interruption; KafkaError; ElasticsearchClientError
 */
export async function dismissDeadLetters(
  context: CommandContext,
  { why, dryRun, ...options }: DismissOptions,
  onProgress?: (progress: ScanProgress) => void,
): Promise<DismissResult> {
  const { ref, range, chosen, settled, halves } = await findChosen(context, options, onProgress);

  const result = { dryRun, dismissed: 0, alreadyDismissed: 0, alreadyRetried: 0, alreadyCorrected: 0 };
  const seen = new Set<string>();
  let marks: ReturnType<typeof dismissalMark>[] = [];
  let bytes = 0;
  const send = async () => {
    if (marks.length > 0 && !dryRun)
      await sendInHalves(marks, (messages) =>
        context.producer.send({ topic: deadLetterTopic(context.settings), messages }),
      );
    marks = [];
    bytes = 0;
  };
  await readCorrectedDeadLetters(
    context,
    range,
    (deadLetter) => ref === undefined && chosen(deadLetter),
    async (entry, corrected) => {
      if (entry.kind === 'mark' || !chosen(entry)) return;
      const identity = identityOf(entry);
      if (seen.has(identity)) return;
      seen.add(identity);
      const settlement = settled.of(identity);
      if (settlement !== undefined)
        result[settlement === 'retried' ? 'alreadyRetried' : 'alreadyDismissed']++;
      else if (corrected !== undefined) result.alreadyCorrected++;
      else {
        result.dismissed++;
        const mark = dismissalMark(entry, why, new Date());
        const size = recordBytes(mark);
        if (marks.length === MARKS_PER_SEND || bytes + size > MAX_SEND_BYTES) await send();
        marks.push(mark);
        bytes += size;
      }
    },
    halves(1),
  );
  await send();
  return result;
}
