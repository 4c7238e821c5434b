/** The names of a generation: its states index and its items index. Generations are numbered from 1. */
export interface Generation {
  number: number;
  /** Index names, and the aliases that only writers use. */
  states: string;
  items: string;
  statesWriter: string;
  itemsWriter: string;
}

/** The readers' alias: the items of the live generation. */
export const itemsAlias = (prefix: string): string => `${prefix}-items`;
/** The states of the live generation. */
export const statesAlias = (prefix: string): string => `${prefix}-states`;

/** The generation to which a rollback returns. */
export const previousItemsAlias = (prefix: string): string => `${itemsAlias(prefix)}-former`;
export const previousStatesAlias = (prefix: string): string => `${statesAlias(prefix)}-former`;

/** The registry index: all generations and their phases. */
export const registryIndex = (prefix: string): string => `${prefix}-generations`;

/** The names of generation `number` under INDEX_PREFIX. */
export function generationNames(prefix: string, number: number): Generation {
  const states = `${prefix}-states-${number}`;
  const items = `${prefix}-items-${number}`;
  return { number, states, items, statesWriter: `${states}-writer`, itemsWriter: `${items}-writer` };
}

/** Finds the generation of an items index. Returns undefined for any other index name. */
export function generationOfItems(prefix: string, index: string): Generation | undefined {
  const number = index.startsWith(`${itemsAlias(prefix)}-`) ? index.slice(itemsAlias(prefix).length + 1) : '';
  return /^[1-9]\d*$/.test(number) ? generationNames(prefix, Number(number)) : undefined;
}
