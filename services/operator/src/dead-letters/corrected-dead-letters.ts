import { generationNames } from '@vitrine/feed-index';
import type { ScanProgress, TopicRange } from '@vitrine/kafka';
import type { Version } from '@vitrine/listing-events';
import { readRegistry, readRoles, versionsWith } from '@vitrine/projection/generations';
import { multiGet, type StateDocument } from '@vitrine/projection/store';
import type { CommandContext } from '../command-context.ts';
import { readDeadLetters } from './read-dead-letters.ts';
import { correctedBy, refusedChange } from './refused-change.ts';
import { holdsRecord, type Mark, type StoredDeadLetter } from './stored-dead-letter.ts';

/** The number of dead letters whose states one request reads. A state can have 3,660 dates. */
const LETTERS_PER_READ = 100;
const BYTES_PER_READ = 4 * 1024 * 1024;

/**
 * Reads the dead letters and marks as `readDeadLetters` does, and finds the dead letters that a later version
 * of their listing has made harmless. The ingest's records are not events, so none of them counts as corrected.
 * @param wants selects the dead letters whose states are read
 * @param onEntry receives each entry, in order within a partition, after the promise for the previous entry
 * has resolved
 * @throws errors from `onEntry`; the signal's reason after an interruption; KafkaError;
 * ElasticsearchClientError
 */
export async function readCorrectedDeadLetters(
  context: CommandContext,
  range: TopicRange,
  wants: (deadLetter: StoredDeadLetter) => boolean,
  onEntry: (entry: StoredDeadLetter | Mark, corrected: Version | undefined) => Promise<void> | void,
  onProgress?: (progress: ScanProgress) => void,
): Promise<void> {
  let index: ReturnType<typeof liveStates> | undefined;
  let entries: (StoredDeadLetter | Mark)[] = [];
  let letters = 0;
  let bytes = 0;
  const flush = async () => {
    const wanted = context.deadLettersOfIngest
      ? []
      : entries.filter((entry) => entry.kind === 'dead-letter').filter(wants);
    if (wanted.length > 0) index ??= liveStates(context);
    const corrections = await correctionsOf(context, await index, wanted);
    for (const entry of entries) await onEntry(entry, corrections.get(entry));
    entries = [];
    letters = bytes = 0;
  };
  await readDeadLetters(
    context,
    range,
    async (entry) => {
      entries.push(entry);
      if (entry.kind === 'dead-letter') {
        letters++;
        bytes += entry.bytes;
      }
      if (letters >= LETTERS_PER_READ || bytes >= BYTES_PER_READ || entries.length >= 10 * LETTERS_PER_READ)
        await flush();
    },
    onProgress,
  );
  await flush();
}

/**
 * The states show whether a version has replaced a refused event. They cannot show this for an event that
 * they already hold, because the index has refused only the item.
 */
async function correctionsOf(
  { client, signal }: CommandContext,
  index: string | undefined,
  deadLetters: readonly StoredDeadLetter[],
): Promise<Map<unknown, Version>> {
  const corrections = new Map<unknown, Version>();
  const changes = deadLetters.flatMap((deadLetter) => {
    if (!holdsRecord(deadLetter) || deadLetter.reason === 'refused-by-index') return [];
    const change = refusedChange(deadLetter.record);
    return change && isId(change.id) ? [{ deadLetter, change }] : [];
  });
  if (index === undefined || changes.length === 0) return corrections;
  const ids = [...new Set(changes.map(({ change }) => change.id))];
  const docs = await multiGet<StateDocument>(client, { index, ids }, signal);
  const states = new Map(
    docs.flatMap((doc) => ('_source' in doc && doc._source ? [[doc._id, doc._source.state]] : [])),
  );
  for (const { deadLetter, change } of changes) {
    const state = states.get(change.id);
    const corrected = state && correctedBy(state, change);
    if (corrected !== undefined) corrections.set(deadLetter, corrected);
  }
  return corrections;
}

/** Elasticsearch refuses longer ids. */
const isId = (id: string): boolean => Buffer.byteLength(id) <= 512;

/** The states index of the live generation, or undefined if there is none or this code cannot read it. */
async function liveStates({ client, settings, rules }: CommandContext): Promise<string | undefined> {
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live }] = await Promise.all([readRegistry(client, prefix), readRoles(client, prefix)]);
  const record = registry?.generations.find(({ number }) => number === live);
  return record && record.versions.states === versionsWith(rules).states
    ? generationNames(prefix, record.number).states
    : undefined;
}
