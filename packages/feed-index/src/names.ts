import type { LiveChanges } from './changes/changes-history.ts';

/** The names that belong to a generation. Generations are numbered from 1. */
export interface Generation {
  number: number;
  /** The names of the indices, and the aliases that only writers use. */
  states: string;
  items: string;
  changes: string;
  statesWriter: string;
  itemsWriter: string;
  changesWriter: string;
}

/** The readers' alias. It names the items of the live generation. */
export const itemsAlias = (prefix: string): string => `${prefix}-items`;
export const statesAlias = (prefix: string): string => `${prefix}-states`;

/** The alias of the items in the generation to which a rollback returns. */
export const previousItemsAlias = (prefix: string): string => `${itemsAlias(prefix)}-former`;
export const previousStatesAlias = (prefix: string): string => `${statesAlias(prefix)}-former`;

/** The aliases that only the live or the previous generation has. */
export const readersAliases = (prefix: string): string[] => [
  itemsAlias(prefix),
  statesAlias(prefix),
  previousItemsAlias(prefix),
  previousStatesAlias(prefix),
];

/** The registry index, which contains all generations and their phases. */
export const registryIndex = (prefix: string): string => `${prefix}-generations`;

/** The names of generation `number` under INDEX_PREFIX. */
export function generationNames(prefix: string, number: number): Generation {
  const states = `${prefix}-states-${number}`;
  const items = `${prefix}-items-${number}`;
  const changes = `${prefix}-changes-${number}`;
  return {
    number,
    states,
    items,
    changes,
    statesWriter: `${states}-writer`,
    itemsWriter: `${items}-writer`,
    changesWriter: `${changes}-writer`,
  };
}

/** Finds the generation of an items index. Returns undefined for any other index name. */
export function generationOfItems(prefix: string, index: string): Generation | undefined {
  const number = numberAfter(`${itemsAlias(prefix)}-`, index);
  return number === undefined ? undefined : generationNames(prefix, number);
}

/** Matches the changes indices of all generations, and the history of the epochs. */
export const changesPattern = (prefix: string): string => `${prefix}-changes-*`;

/** Finds the generation number of a changes index. Returns undefined for any other index name. */
export const generationOfChanges = (prefix: string, index: string): number | undefined =>
  numberAfter(`${prefix}-changes-`, index);

/**
 * The alias that the live changes index has in an epoch. The update that moves the readers' alias also moves
 * this alias.
 */
export const changesEpochAlias = (prefix: string, epoch: number): string =>
  `${prefix}-changes-epoch-${epoch}`;

/** Matches the alias of the live epoch, for `_resolve/index`. */
export const changesEpochPattern = (prefix: string): string => `${prefix}-changes-epoch-*`;

/** The names that a reader of changes resolves with one `_resolve/index` request. */
export const liveChangesNames = (prefix: string): string[] => [
  changesEpochPattern(prefix),
  itemsAlias(prefix),
];

/** The index with the history of the epochs, in one document. */
export const changesHistoryIndex = (prefix: string): string => `${prefix}-changes-history`;
export const CHANGES_HISTORY_ID = 'history';

/**
 * Finds the live epoch and its generation among the aliases that `_resolve/index` returns for
 * `liveChangesNames` or for `changesEpochPattern`. Returns undefined if the live generation has no changes
 * index. If `aliases` contains the readers' alias, also returns undefined if the command line of an earlier
 * release has moved this alias to another generation, because that release does not support epochs.
 */
export function liveChangesOf(
  prefix: string,
  aliases: readonly { name: string; indices: string | string[] }[],
): LiveChanges | undefined {
  const found = aliases.flatMap(({ name, indices }) =>
    [indices].flat().flatMap((index) => {
      const epoch = numberAfter(changesEpochAlias(prefix, 0).slice(0, -1), name);
      const generation = generationOfChanges(prefix, index);
      return epoch === undefined || generation === undefined ? [] : [{ epoch, generation }];
    }),
  );
  // Only a crash during a first start leaves more than one epoch. The latest one is live.
  const live = found.sort((one, other) => other.epoch - one.epoch)[0];
  const items = aliases.find(({ name }) => name === itemsAlias(prefix));
  const isMoved =
    items && ![items.indices].flat().includes(generationNames(prefix, live?.generation ?? 0).items);
  return isMoved ? undefined : live;
}

/** The positive number that follows `start` in a name. */
function numberAfter(start: string, name: string): number | undefined {
  const number = name.startsWith(start) ? name.slice(start.length) : '';
  return /^[1-9]\d*$/.test(number) ? Number(number) : undefined;
}
