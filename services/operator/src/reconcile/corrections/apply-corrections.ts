import { dirname } from 'node:path';
import { GenerationError } from '@vitrine/feed-index';
import { sendInHalves } from '@vitrine/kafka';
import { EVENT_HEADERS } from '@vitrine/listing-events';
import { readRoles } from '@vitrine/projection/generations';
import type { CommandContext } from '../../command-context.ts';
import { readListings } from '../../verify/stored-listing.ts';
import { completeFile } from '../files/complete-file.ts';
import { IdCursor } from '../files/id-cursor.ts';
import { readLineFile } from '../files/line-file.ts';
import { readPendingListings } from '../pending-listings.ts';
import type { StoredCorrection } from './corrections.ts';

/** Kafka refuses a batch that exceeds its message limit, which is 1 MiB by default. */
const BATCH_BYTES = 512 * 1024;
/** Each event needs its listing's documents in memory. */
const BATCH_EVENTS = 100;

/** Writes the events from the corrections to a file, one per line. @throws file system errors */
export const emitCorrections = (path: string, out: string): Promise<void> =>
  completeFile(out, async (file) => {
    for await (const page of readLineFile<StoredCorrection>(path)) {
      for (const { event } of page) file.add(event);
      await file.drain();
    }
  });

/**
 * Publishes the corrections, except those for listings whose states have changed since the comparison, or
 * whose events wait in the topic when the publication begins.
 * @param path the corrections in ascending byte order of id, in a folder for temporary files
 * @param number the live generation
 * @returns the number of published events
 * @throws GenerationError if another generation became live meanwhile; KafkaError; ElasticsearchClientError;
 * the signal's reason after an interruption
 */
export async function publishCorrections(
  context: CommandContext,
  path: string,
  number: number,
  onProgress: (done: number) => void,
): Promise<{ published: number; skipped: number }> {
  const counts = { published: 0, skipped: 0 };
  const folder = dirname(path);
  const pending = await readPendingListings(context, number, { folder, name: 'pending-publication' });
  const pendingIds = new IdCursor(pending.pages());
  let batch: StoredCorrection[] = [];
  let bytes = 0;
  const send = async () => {
    const published = await publishUnchanged(context, batch, number, (id) => pendingIds.has(id));
    counts.published += published;
    counts.skipped += batch.length - published;
    batch = [];
    bytes = 0;
    onProgress(counts.published + counts.skipped);
    context.signal.throwIfAborted();
  };
  try {
    for await (const page of readLineFile<StoredCorrection>(path))
      for (const correction of page) {
        const size = Buffer.byteLength(JSON.stringify(correction.event));
        if (batch.length === BATCH_EVENTS || (batch.length > 0 && bytes + size > BATCH_BYTES)) await send();
        batch.push(correction);
        bytes += size;
      }
    if (batch.length > 0) await send();
  } finally {
    await pendingIds.close();
  }
  return counts;
}

/** Whether an event for the listing waits in the topic. */
type IsPending = (id: string) => Promise<boolean> | boolean;

/**
 * Returns the corrections for listings whose states have not changed since the comparison, and whose events
 * do not wait in the topic. A correction could win over a waiting event.
 * @param number the generation that was live during the comparison
 * @param isPending is called in the order of the batch, and answers from an earlier read of the topic
 * @throws GenerationError if another generation is live now; ElasticsearchClientError
 */
export async function unchangedCorrections(
  { client, settings }: CommandContext,
  batch: readonly StoredCorrection[],
  number: number,
  isPending: IsPending,
): Promise<StoredCorrection[]> {
  const { live } = await readRoles(client, settings.INDEX_PREFIX);
  if (live !== number)
    throw new GenerationError(`generation ${live} became live after the comparison. Run reconcile again`);
  const ids = batch.map(({ event }) => event.subject);
  const now = await readListings(client, settings.INDEX_PREFIX, number, ids);
  const unchanged: StoredCorrection[] = [];
  for (const correction of batch) {
    const { subject } = correction.event;
    if (await isPending(subject)) continue;
    if ((now.get(subject)?.revision ?? null) === correction.revision) unchanged.push(correction);
  }
  return unchanged;
}

async function publishUnchanged(
  context: CommandContext,
  batch: readonly StoredCorrection[],
  number: number,
  isPending: IsPending,
): Promise<number> {
  const { producer, settings } = context;
  // The operator may have answered after a long time. Projectors may now write only to another generation.
  const messages = (await unchangedCorrections(context, batch, number, isPending)).map(({ event }) => ({
    key: event.subject,
    value: JSON.stringify(event),
    headers: EVENT_HEADERS,
  }));
  await sendInHalves(messages, (some) =>
    producer.send({ topic: settings.LISTING_EVENTS_TOPIC, messages: some }),
  );
  return messages.length;
}
