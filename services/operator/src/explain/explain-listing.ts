import { type Client, errors } from '@elastic/elasticsearch';
import {
  type ChangeEntry,
  changeNumber,
  type GenerationRecord,
  generationNames,
  type ItemDocument,
} from '@vitrine/feed-index';
import type { ScanProgress } from '@vitrine/kafka';
import { droppedMembers, type ListingState, type Rules } from '@vitrine/listing';
import { FIELD_NAMES, type Version } from '@vitrine/listing-events';
import {
  documentRules,
  isWritable,
  type Role,
  readLiveChain,
  readRegistry,
  readRoles,
  roleOf,
  versionsWith,
} from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { dateInSaoPaulo } from '../date-in-sao-paulo.ts';
import { listDeadLetters } from '../dead-letters/list-dead-letters.ts';
import { assertKnownModule } from '../rules-module.ts';
import { type CheckedListing, checkListing, readListings } from '../verify/stored-listing.ts';
import {
  type ExplainedChange,
  type ExplainedGeneration,
  type ExplainedState,
  type Explanation,
  explainDates,
  summarizeCalendar,
} from './explanation.ts';
import { summarize, verdictOf, whyHidden } from './explanation-text.ts';
import { readHistory, withEffects, withTimes } from './listing-history.ts';

const MAX_DEAD_LETTERS = 20;
/** The maximum length of an id in Elasticsearch and in the contract. */
const MAX_ID_BYTES = 512;

/**
 * Explains why a listing is or is not in the feed, based on all generations and the dead letters.
 * @param onProgress receives the progress of reading the dead letters, and then of the history
 * @param options with `history`, also reads the events topic for the time of each field's version
 * @throws GenerationError if this process lacks the live generation's rules module; the signal's reason after
 * an interruption; KafkaError; ElasticsearchClientError
 */
export async function explainListing(
  context: CommandContext,
  id: string,
  onProgress?: (progress: ScanProgress) => void,
  { history: wantsHistory = false }: { history?: boolean } = {},
): Promise<Explanation> {
  const { client, settings } = context;
  const prefix = settings.INDEX_PREFIX;
  const [registry, roles, chain] = await Promise.all([
    readRegistry(client, prefix),
    readRoles(client, prefix),
    readLiveChain(client, prefix),
  ]);
  const liveRecord = registry?.generations.find(({ number }) => number === roles.live);
  if (liveRecord) assertKnownModule(liveRecord, context.rules);
  const epochs = new Map(chain.map(({ generation, epoch }) => [generation, epoch]));
  const generations: ExplainedGeneration[] = [];
  for (const record of registry?.generations ?? []) {
    const role = roleOf(record, roles, registry, Date.now());
    generations.push(await inGeneration(context, record, role, epochs.get(record.number), id));
  }
  const deadLetters = await listDeadLetters(
    context,
    { key: id, limit: MAX_DEAD_LETTERS, all: true },
    onProgress,
  );
  const found = deadLetters.total > 0 || generations.some(({ state, item }) => state || item);
  const known = { generations, deadLetters };
  const explanation = { id, found, verdict: verdictOf(known), summary: summarize({ id, ...known }) };
  if (!wantsHistory) return { ...explanation, generations, deadLetters };
  const history = await readHistory(context, id, onProgress);
  const live = generations.find(({ role }) => role === 'live');
  return {
    ...explanation,
    generations: generations.map((generation) => withTimes(generation, history)),
    deadLetters,
    history: live?.state ? withEffects(history.listed(), live.state) : history.listed(),
  };
}

async function inGeneration(
  { client, settings, rules }: CommandContext,
  record: GenerationRecord,
  role: Role,
  epoch: number | undefined,
  id: string,
): Promise<ExplainedGeneration> {
  const { number, versions } = record;
  const prefix = settings.INDEX_PREFIX;
  const ours = versionsWith(rules);
  const known = { number, role, ...(!isWritable(versions, rules) && { otherVersions: true }) };
  if (id === '' || Buffer.byteLength(id) > MAX_ID_BYTES) return { ...known, agrees: true };
  if (versions.states !== ours.states)
    return {
      ...known,
      trouble: `its states have mapping version ${versions.states}, but this code reads ${ours.states}`,
    };
  try {
    const stored = (await readListings(client, prefix, number, [id])).get(id) ?? {};
    const checked = checkListing(id, stored, documentRules(versions, rules));
    const change =
      versions.changes === undefined
        ? undefined
        : await changeOf(client, generationNames(prefix, number).changes, epoch, id);
    return {
      ...known,
      ...(change && { change }),
      ...explained(checked, rules, settings.FEED_TODAY ?? dateInSaoPaulo(new Date())),
      ...(checked.item && {
        position: await positionOf(client, generationNames(prefix, number).items, checked.item),
      }),
    };
  } catch (error) {
    // A missing index is part of the result, so that the command can show the other generations.
    if (error instanceof errors.ElasticsearchClientError && !(error instanceof errors.ResponseError))
      throw error;
    return { ...known, trouble: (error as Error).message };
  }
}

function explained(
  { state, revision = 0, item, itemRevision = 0, hidden, failure, agrees }: CheckedListing,
  rules: Rules,
  today: string,
): Omit<ExplainedGeneration, 'number' | 'role'> {
  const dropped = state ? droppedMembers(state) : [];
  const ignored = (state?.ignored ?? []).map((one) => ({ ...one, time: new Date(one.time).toISOString() }));
  return {
    ...(state && { state: explainedState(state, revision, today) }),
    ...(dropped.length > 0 && { dropped }),
    ...(ignored.length > 0 && { ignored }),
    ...(hidden && state && { hidden, why: whyHidden(hidden, state, rules) }),
    ...(failure !== undefined && { failure }),
    ...(item && {
      item: {
        revision: itemRevision,
        publishedAt: new Date(item.published_at).toISOString(),
        feedItem: item.feed_item,
        calendarDates: item.calendar.length,
      },
    }),
    agrees,
  };
}

function explainedState(state: ListingState, revision: number, today: string): ExplainedState {
  const fields = FIELD_NAMES.flatMap((name): [string, { version: Version; value: unknown }][] => {
    const field = state.fields[name];
    return field ? [[name, { version: field[0], value: field[1] }]] : [];
  });
  return {
    revision,
    ...(state.first_seen !== undefined && { firstSeen: new Date(state.first_seen).toISOString() }),
    removed: state.removed,
    replaced: state.replaced,
    fields: Object.fromEntries(fields),
    calendar: summarizeCalendar(state, today),
    dates: explainDates(state),
  };
}

/** Reads the listing's entry. Returns undefined if there is none. */
async function changeOf(
  client: Client,
  index: string,
  epoch: number | undefined,
  id: string,
): Promise<ExplainedChange | undefined> {
  const { docs } = await client.mget<ChangeEntry>({ index, ids: [id] });
  const [found] = docs;
  if (!found) return undefined;
  if ('error' in found) throw new Error(`could not read ${id} in ${index}: ${found.error.reason}`);
  if (!found.found || !found._source || found._seq_no === undefined) return undefined;
  const { state, at } = found._source;
  const sequence = found._seq_no;
  return {
    state,
    at: new Date(at).toISOString(),
    sequence,
    ...(epoch !== undefined && { changeNumber: changeNumber(epoch, sequence) }),
  };
}

/** Computes the item's position in feed order: newest first, then by id. */
async function positionOf(
  client: Client,
  index: string,
  { id, published_at }: ItemDocument,
): Promise<{ at: number; of: number }> {
  const before = {
    bool: {
      should: [
        { range: { published_at: { gt: published_at } } },
        { bool: { filter: [{ term: { published_at } }, { range: { id: { lt: id } } }] } },
      ],
    },
  };
  const [ahead, all] = await Promise.all([client.count({ index, query: before }), client.count({ index })]);
  return { at: ahead.count + 1, of: all.count };
}
