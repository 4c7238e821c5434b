/** A range of sequence numbers in one shard of the source states. One builder processes it at a time. */
export interface Slice {
  shard: string;
  /** All states up to this sequence number are processed. */
  after: number;
  /**
   * The last sequence number. If it is absent, the slice has no end, and a builder reads it after all other
   * slices of its shard.
   */
  last?: number;
  states: number;
  /** The id of the builder that is processing the slice or has finished it. */
  builder?: string;
  /** The ids of the lost builders that processed a part of the slice. */
  lost?: string[];
  done?: true;
}

export interface Scan {
  slices: Slice[];
  /** The approximate number of states at the beginning of the scan. */
  total: number;
  /** The name of the write aliases in this phase. */
  writer: string;
}

export type SliceProgress = Pick<Slice, 'after' | 'states'>;

/** With more slices, the overhead becomes noticeable. With fewer slices, builders are idle at the end. */
const MAX_SLICES = 32;
/** The minimum number of sequence numbers per slice, which is the size of one page in a scan. */
const SMALLEST_SLICE = 1_000;

/**
 * Divides the states of an index into slices. A state that is written during the scan gets a higher sequence
 * number and leaves its slice, so each shard has a last slice without an end.
 * @param shards the shards with their highest sequence numbers; -1 for an empty shard
 */
export function planSlices(shards: readonly { shard: string; highest: number }[]): Slice[] {
  return shards.flatMap(({ shard, highest }) => {
    const span = highest + 1;
    const count = Math.min(Math.floor(MAX_SLICES / shards.length), Math.floor(span / SMALLEST_SLICE));
    const ends = Array.from({ length: count }, (_, i) => Math.floor((span * (i + 1)) / count) - 1);
    const bounded = ends.map((last, i): Slice => ({ shard, after: ends[i - 1] ?? -1, last, states: 0 }));
    return [...bounded, { shard, after: ends.at(-1) ?? -1, states: 0 }];
  });
}

/** A claimed slice, `wait` if other builders process all remaining ones, or `done` if none remains. */
type Claim = { scan: Scan; index: number } | 'wait' | 'done';

export function claimSlice(scan: Scan, builder: string): Claim {
  const { slices } = scan;
  if (slices.every(({ done }) => done)) return 'done';
  const isFree = ({ done, builder: owner, last, shard }: Slice) =>
    !done &&
    owner === undefined &&
    (last !== undefined ||
      slices.every((other) => other.shard !== shard || other.done || other.last === undefined));
  const index = slices.findIndex(isFree);
  if (index < 0) return 'wait';
  return { scan: withSlice(scan, index, { builder }), index };
}

/** Stores a builder's positions in its own slices. Slices that the builder has lost are unchanged. */
export const withProgress = (
  scan: Scan,
  builder: string,
  progress: ReadonlyMap<number, SliceProgress>,
): Scan => ({
  ...scan,
  slices: scan.slices.map((slice, i) =>
    slice.builder === builder && !slice.done ? { ...slice, ...progress.get(i) } : slice,
  ),
});

export const withDone = (scan: Scan, builder: string, index: number): Scan =>
  scan.slices[index]?.builder === builder ? withSlice(scan, index, { done: true }) : scan;

/**
 * Frees the unfinished slices of a builder at their stored positions.
 * @param isLost whether others continue the slices without the builder's consent. The slices record this
 */
export const withFreed = (scan: Scan, builder: string, isLost: boolean): Scan => ({
  ...scan,
  slices: scan.slices.map((slice) => {
    if (slice.done || slice.builder !== builder) return slice;
    const { builder: _, ...free } = slice;
    return isLost ? { ...free, lost: [...(slice.lost ?? []), builder] } : free;
  }),
});

const withSlice = (scan: Scan, index: number, changes: Partial<Slice>): Scan => ({
  ...scan,
  slices: scan.slices.map((slice, i) => (i === index ? { ...slice, ...changes } : slice)),
});
