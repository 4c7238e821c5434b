import { rangeOf, recordTime, type ScanProgress } from '@vitrine/kafka';
import { compareVersions, decodeRecord, type Version, versionBound } from '@vitrine/listing-events';
import type { CommandContext } from '../command-context.ts';
import { readRecords } from '../records/read-records.ts';
import type { ExplainedGeneration, ExplainedState, HistoryRecord, ListingHistory } from './explanation.ts';

const MAX_LISTED = 200;

/** Collects the records of one listing. Pure. */
export class HistoryCollector {
  readonly #records: HistoryRecord[] = [];
  #total = 0;
  /** Maps a field and a version to the first time at which Kafka received them. */
  readonly #times = new Map<string, string>();

  add(record: HistoryRecord): void {
    this.#total++;
    this.#records.push(record);
    if (this.#records.length > 2 * MAX_LISTED) this.#drop();
    if (record.at === undefined) return;
    for (const field of record.fields ?? []) {
      const key = `${field} ${record.version}`;
      const known = this.#times.get(key);
      if (known === undefined || record.at < known) this.#times.set(key, record.at);
    }
  }

  /**
   * Returns the time of a field's version, or undefined if the topic no longer holds the record with this
   * version.
   */
  timeOf(field: string, version: Version): string | undefined {
    return this.#times.get(`${field} ${version}`);
  }

  listed(): ListingHistory {
    this.#drop();
    return { total: this.#total, newest: [...this.#records] };
  }

  #drop(): void {
    this.#records.sort(({ at: a = '', ...one }, { at: b = '', ...other }) =>
      a === b ? Number(other.offset) - Number(one.offset) : a < b ? 1 : -1,
    );
    this.#records.splice(MAX_LISTED);
  }
}

/**
 * Reads a listing's records from all partitions of the events topic, because the number of partitions may
 * have changed.
 * @throws the signal's reason after an interruption; Kafka's errors
 */
export async function readHistory(
  context: CommandContext,
  id: string,
  onProgress?: (progress: ScanProgress) => void,
): Promise<HistoryCollector> {
  const topic = context.settings.LISTING_EVENTS_TOPIC;
  const key = Buffer.from(id);
  const history = new HistoryCollector();
  const bound = versionBound(context.settings.MAX_VERSION);
  await readRecords(
    context,
    topic,
    await rangeOf(context.admin, topic),
    (record) => {
      if (!record.key?.equals(key)) return;
      const { partition, offset, timestamp } = record;
      const at = recordTime(timestamp);
      history.add({
        partition,
        offset,
        ...(at !== undefined && { at }),
        ...decoded(decodeRecord(record, bound?.(timestamp))),
      });
    },
    { onProgress },
  );
  return history;
}

function decoded(
  result: ReturnType<typeof decodeRecord>,
): Omit<HistoryRecord, 'partition' | 'offset' | 'at'> {
  if (result.outcome === 'refused') return { kind: 'refused', reason: result.reason };
  if (result.outcome === 'skipped') return { kind: 'skipped' };
  const { event } = result;
  const { kind, source, version, time } = event;
  return {
    kind,
    ...(source !== undefined && { source }),
    version,
    ...(time !== undefined && { time: new Date(time).toISOString() }),
    ...('fields' in event && { fields: Object.keys(event.fields) }),
    ...('dates' in event && event.dates && { dates: event.dates.length }),
  };
}

/** Adds the time of each field's version. Pure. */
export function withTimes(
  generation: ExplainedGeneration,
  history: Pick<HistoryCollector, 'timeOf'>,
): ExplainedGeneration {
  const { state } = generation;
  if (!state) return generation;
  const fields = Object.entries(state.fields).map(([name, field]) => {
    const seenAt = history.timeOf(name, field.version);
    return [name, { ...field, ...(seenAt !== undefined && { seenAt }) }];
  });
  return { ...generation, state: { ...state, fields: Object.fromEntries(fields) } };
}

/** Adds to each event what the state holds from it. The event's version shows this. Pure. */
export function withEffects(
  { total, newest }: ListingHistory,
  state: Pick<ExplainedState, 'fields' | 'dates' | 'removed'>,
): ListingHistory {
  return {
    total,
    newest: newest.map((record) =>
      record.version === undefined
        ? record
        : { ...record, inEffect: effectsOf(record, record.version, state) },
    ),
  };
}

function effectsOf(
  { kind, fields = [], dates }: HistoryRecord,
  version: Version,
  state: Parameters<typeof withEffects>[1],
): string[] {
  const isHeld = (held: Version | undefined): boolean =>
    held !== undefined && compareVersions(held, version) === 0;
  const held = fields.filter((name) => isHeld(state.fields[name]?.version));
  if (dates !== undefined && Object.values(state.dates).some((date) => isHeld(date.version)))
    held.push('availability');
  if (kind === 'removed' && isHeld(state.removed)) held.push('removed');
  return held;
}
