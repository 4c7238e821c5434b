import type { estypes } from '@elastic/elasticsearch';
import { describeMismatch, findGeneration, GenerationError, generationNames } from '@vitrine/feed-index';
import { droppedMembers, type Rules } from '@vitrine/listing';
import { readRoles, versionsWith } from '@vitrine/projection/generations';
import { type StateDocument, snapshotPages } from '@vitrine/projection/store';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { whyHidden, whyIgnored } from '../explain/explanation-text.ts';
import type { Listed, ListingsPage, ListProgress, ListQuery, PageQuery } from './listed.ts';
import { SmallestIds } from './smallest-ids.ts';

/** How a list selects states, and what it says about each of them. */
interface StateList {
  /** The query that selects states. Without a query, the scan reads all states. */
  query?: estypes.QueryDslQueryContainer;
  /** The members of the documents that `entries` needs. */
  source: string[];
  /**
   * Returns no entry if the listing is not on the list. Most entries belong to no page, so only a kept entry
   * is composed.
   */
  entries(id: string, document: StateDocument): (() => Listed)[];
}

/**
 * Lists listings in the live generation. Each page needs one scan of the states, because a states index
 * cannot be sorted by id (docs/decisions/0104-lists-of-listings.md).
 * @throws GenerationError without a readable live generation; ElasticsearchClientError
 */
export async function listStates(
  context: CommandContext,
  query: ListQuery,
  { limit, after }: PageQuery,
  onProgress: (progress: ListProgress) => void,
): Promise<ListingsPage> {
  const { client, signal } = context;
  const index = await liveStates(context);
  const list = stateList(query, context.rules);
  const kept = new SmallestIds<Listed[]>(limit, after);
  const selection = { index, ...(list.query && { query: list.query }) };
  const { count } = await client.count(selection);
  const request = { ...selection, sort: [{ _shard_doc: 'asc' as const }], source: list.source };
  let done = 0;
  let total = 0;
  for await (const hits of snapshotPages<StateDocument>(client, request, signal)) {
    for (const { _id: id = '', _source } of hits) {
      if (!id.includes(query.containing ?? '')) continue;
      const entries = list.entries(id, _source as StateDocument);
      if (entries.length === 0) continue;
      total++;
      kept.update(id, () => entries.map((entry) => entry()));
    }
    done += hits.length;
    onProgress({ done, total: Math.max(done, count) });
  }
  const { entries, isLast } = kept.page();
  const next = isLast ? undefined : entries.at(-1)?.[0];
  return {
    listings: entries.flatMap(([, listed]) => listed),
    total,
    ...(next !== undefined && { next }),
  };
}

async function liveStates(context: CommandContext): Promise<string> {
  const { client, settings, rules } = context;
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live }] = await Promise.all([readExistingRegistry(context), readRoles(client, prefix)]);
  if (live === undefined) throw new GenerationError(`the prefix ${prefix} has no live generation`);
  const record = findGeneration(registry, live);
  const ours = versionsWith(rules);
  if (record.versions.states !== ours.states) throw new GenerationError(describeMismatch(record, ours));
  return generationNames(prefix, live).states;
}

function stateList({ kind, name, source: wanted }: ListQuery, rules: Rules): StateList {
  switch (kind) {
    case 'dropped':
      return {
        source: ['state'],
        entries: (id, { state }) =>
          droppedMembers(state)
            .filter(({ member }) => name === undefined || member === name)
            .map(({ member, detail }) => () => ({ id, member, detail })),
      };
    case 'superseded':
      return {
        source: ['state.ignored'],
        // A state without notes has none of the members in `source`, so the document is empty.
        entries: (id, { state }: Partial<StateDocument>) =>
          (state?.ignored ?? [])
            .filter(({ source }) => wanted === undefined || source === wanted)
            .map((ignored) => () => ({ id, source: ignored.source, detail: whyIgnored(ignored) })),
      };
    default:
      return {
        query: name === undefined ? { exists: { field: 'hidden' } } : { term: { hidden: name } },
        source: ['hidden', 'state.removed'],
        entries: (id, { hidden: reason, state }) =>
          reason === undefined ? [] : [() => ({ id, reason, detail: whyHidden(reason, state, rules) })],
      };
  }
}
