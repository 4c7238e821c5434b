/** The first record of a partition that a group has not finished. */
export interface UnfinishedRecord {
  partition: number;
  offset: bigint;
}

export interface RecordAge {
  seconds: number;
  /** Whether the record is older than the limit of the search. If so, `seconds` is that limit. */
  capped: boolean;
}

const LIMIT_MS = 30 * 24 * 60 * 60 * 1_000;
const FIRST_AGE_MS = 1_000;
/**
 * The precision of an age is one second. The precision of a large age is one percent, because a higher
 * precision would need many requests.
 */
const PRECISION_MS = 1_000;
const PRECISION = 0.01;

/** A record that is older than `above` milliseconds and at most `atMost` milliseconds old. */
interface Interval extends UnfinishedRecord {
  above: number;
  atMost: number;
}

/**
 * Finds the ages of records. Kafka can only report the offset at which the records of a recent period begin.
 * Therefore the search doubles the period until the period contains the record, and then bisects it. Each
 * response narrows the ages of all records.
 * @param firstSince returns, for an age in milliseconds, the offset of each partition's first record that is
 * not older
 * @returns the ages in the order of the records. If timestamps are out of order, the age of a record is that of
 *   the youngest record up to and including it.
 */
export async function recordAges(
  records: readonly UnfinishedRecord[],
  firstSince: (age: number) => Promise<ReadonlyMap<number, bigint>>,
): Promise<RecordAge[]> {
  const intervals = records.map(
    (record): Interval => ({ ...record, above: 0, atMost: Number.POSITIVE_INFINITY }),
  );
  for (let open = intervals.find(isOpen); open; open = intervals.find(isOpen)) {
    const age = nextAge(open);
    const first = await firstSince(age);
    for (const interval of intervals) {
      const begin = first.get(interval.partition);
      if (begin !== undefined && begin <= interval.offset) interval.atMost = Math.min(interval.atMost, age);
      else interval.above = Math.max(interval.above, age);
    }
  }
  return intervals.map(({ above, atMost }) => {
    const capped = above >= LIMIT_MS;
    return { seconds: Math.ceil((capped ? LIMIT_MS : atMost) / 1_000), capped };
  });
}

const isOpen = ({ above, atMost }: Interval): boolean =>
  above < LIMIT_MS && atMost - above > Math.max(PRECISION_MS, atMost === Infinity ? 0 : atMost * PRECISION);

function nextAge({ above, atMost }: Interval): number {
  if (atMost !== Number.POSITIVE_INFINITY) return Math.round((above + atMost) / 2);
  return above === 0 ? FIRST_AGE_MS : Math.min(above * 2, LIMIT_MS);
}
