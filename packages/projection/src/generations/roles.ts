import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import {
  changesEpochAlias,
  type Generation,
  GenerationError,
  type GenerationRecord,
  generationNames,
  generationOfItems,
  isAlive,
  itemsAlias,
  type LiveChanges,
  previousItemsAlias,
  previousStatesAlias,
  type Registry,
  statesAlias,
} from '@vitrine/feed-index';

/** The generation that readers see, and the generation to which a rollback returns. */
export interface Roles {
  live?: number;
  previous?: number;
  /** It is present if the states of the live generation are lost. Nothing can then be compared with them. */
  lostStates?: true;
}

/** The live epochs before and after a switch. A member is absent if its generation has no changes index. */
export interface EpochMove {
  ends?: LiveChanges;
  begins?: LiveChanges;
}

/**
 * The possible roles of a generation. An `unfinished` generation is under construction, but has no active
 * builder.
 */
export type Role = 'live' | 'previous' | 'ready' | 'building' | 'unfinished' | 'pruning';

/** The role of a generation. */
export function roleOf(
  { number, phase }: GenerationRecord,
  { live, previous }: Roles,
  registry: Registry | undefined,
  now: number,
): Role {
  if (number === live) return 'live';
  if (phase === 'pruning') return 'pruning';
  if (number === previous) return 'previous';
  if (phase === 'ready') return 'ready';
  return phase === 'creating' || registry?.builders?.some((builder) => isAlive(builder, now))
    ? 'building'
    : 'unfinished';
}

/** Reads the roles from the aliases. @throws Error if the readers' alias points to more than one index */
export async function readRoles(client: Client, prefix: string, signal?: AbortSignal): Promise<Roles> {
  const found = await client.indices.getAlias(
    { name: `${itemsAlias(prefix)},${previousItemsAlias(prefix)},${statesAlias(prefix)}` },
    { ignore: [404], ...(signal && { signal }) },
  );
  const indicesOf = (alias: string) =>
    Object.entries(found).flatMap(([index, entry]) =>
      entry && typeof entry === 'object' && alias in (entry.aliases ?? {}) ? [index] : [],
    );
  const having = (alias: string) =>
    indicesOf(alias).flatMap((index) => generationOfItems(prefix, index)?.number ?? []);
  const [live, second] = having(itemsAlias(prefix));
  if (second !== undefined) throw new Error(`the alias ${itemsAlias(prefix)} points to more than one index`);
  const [previous] = having(previousItemsAlias(prefix));
  const states = live === undefined ? undefined : generationNames(prefix, live).states;
  const isWhole =
    states === undefined ||
    indicesOf(statesAlias(prefix)).includes(states) ||
    (await client.indices.exists({ index: states }));
  return {
    ...(live !== undefined && { live }),
    ...(previous !== undefined && { previous }),
    ...(!isWhole && { lostStates: true }),
  };
}

/**
 * Makes `to` the readers' generation and `from` the target of a rollback. One atomic update of the cluster
 * state moves the aliases for states and items. If an index of a generation other than `to` is lost, its
 * aliases are lost too.
 * @param from undefined if no generation is live, because the indices were lost
 * @param epochs the epochs of the changes that this update ends and begins
 * @throws GenerationError if a generation other than `from` is live, because another process has switched in
 * the meantime, or if a prune is removing `to`
 */
export async function moveAliases(
  client: Client,
  prefix: string,
  from: number | undefined,
  to: number,
  previous: number | undefined,
  epochs: EpochMove = {},
): Promise<void> {
  const before = from === undefined ? undefined : generationNames(prefix, from);
  const after = generationNames(prefix, to);
  const former = previous === undefined ? undefined : generationNames(prefix, previous);
  const held = await existing(client, [before, former]);
  const pairs = [
    [itemsAlias(prefix), previousItemsAlias(prefix), 'items'],
    [statesAlias(prefix), previousStatesAlias(prefix), 'states'],
  ] as const;
  const { ends, begins } = epochs;
  const epochOf = ({ epoch, generation }: LiveChanges) => ({
    index: generationNames(prefix, generation).changes,
    alias: changesEpochAlias(prefix, epoch),
  });
  const moves = pairs.flatMap(([live, old, kind]) => [
    ...held(before?.[kind], (index) => ({ remove: { index, alias: live, must_exist: true } })),
    { add: { index: after[kind], alias: live } },
    ...held(former?.[kind], (index) => ({ remove: { index, alias: old, must_exist: true } })),
    ...held(before?.[kind], (index) => ({ add: { index, alias: old } })),
  ]);
  // A prune removes this alias first. A move that arrives later finds no alias, and changes nothing.
  const writer = { index: after.items, alias: after.itemsWriter };
  const actions = [
    { remove: { ...writer, must_exist: true } },
    { add: writer },
    ...moves,
    ...(ends ? [{ remove: { ...epochOf(ends), must_exist: true } }] : []),
    ...(begins ? [{ add: epochOf(begins) }] : []),
  ];
  const refused = (cause?: unknown) =>
    new GenerationError(
      'another process switched or pruned at the same time, so this command changed nothing. Run status to ' +
        'see which generation is live',
      { cause },
    );
  // Without an alias to remove, Elasticsearch would also accept a second live generation.
  if (from === undefined && (await readRoles(client, prefix)).live !== undefined) throw refused();
  try {
    await client.indices.updateAliases({ actions });
  } catch (error) {
    if (!(error instanceof errors.ResponseError && error.statusCode === 404)) throw error;
    // A node may have made the change and then died before responding. The client's retry then finds no alias
    // to move.
    if ((await readRoles(client, prefix)).live !== to) throw refused(error);
  }
}

type AliasAction = estypes.IndicesUpdateAliasesAction;

/** Returns a function that makes an action on an index, or none if the index does not exist. */
async function existing(
  client: Client,
  generations: readonly (Generation | undefined)[],
): Promise<(index: string | undefined, action: (index: string) => AliasAction) => AliasAction[]> {
  const index = generations.flatMap((names) => (names ? [names.items, names.states] : []));
  const found = index.length === 0 ? {} : await client.indices.getAlias({ index, ignore_unavailable: true });
  return (name, action) => (name !== undefined && name in found ? [action(name)] : []);
}
