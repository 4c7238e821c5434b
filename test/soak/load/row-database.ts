import { type EventRecord, listingEvent, Random } from '@vitrine/fixtures';

/** A row of a listing in the marketplace's database. */
interface Row {
  revision: number;
  title: string;
  price: number;
  city: string;
  url: string;
  isDeleted: boolean;
}

const ROWS = 200;
export const ROW_PREFIX = 'row-';
/** The share of the changes that never reach the topic, as if the source had a defect. */
const LOST = 0.03;
const DELETED = 0.15;
/** The offset from the seed of the market. */
const SEED_OFFSET = 2_000;
const CITIES = ['Curitiba', 'Recife', 'Natal'] as const;

/**
 * The database of a marketplace that publishes its rows, and loses some changes on the way. Only `reconcile`
 * can find the lost changes.
 */
export class RowDatabase {
  /** Number of changes that never reached the topic. */
  lost = 0;
  readonly #rows = new Map<string, Row>();
  readonly #random: Random;
  #revision = 0;

  constructor(seed: number) {
    this.#random = new Random(seed + SEED_OFFSET);
  }

  /** Number of changes so far. */
  get changes(): number {
    return this.#revision;
  }

  /** Changes this many rows. @returns the records of the changes that are not lost */
  change(count: number): EventRecord[] {
    return Array.from({ length: count }, () => this.#changeOne()).flatMap(([id, row]) => {
      const isLost = this.#random.chance(LOST);
      if (isLost) this.lost++;
      return isLost ? [] : [recordOf(id, row)];
    });
  }

  /** The rows that the feed must contain. */
  published(): Map<string, Omit<Row, 'revision' | 'isDeleted'>> {
    return new Map(
      [...this.#rows].flatMap(([id, { revision: _, isDeleted, ...row }]) => (isDeleted ? [] : [[id, row]])),
    );
  }

  /**
   * The whole content of the marketplace as lines for `reconcile`.
   * @param others the ids of listings that this database does not know. Nothing about them is compared.
   */
  source(others: readonly string[]): string[] {
    const lines = new Map(others.map((id) => [id, JSON.stringify({ id })]));
    for (const [id, { title, price, city, url }] of this.published()) {
      const listing = { title, price, location: { city }, url };
      const { revision } = this.#rows.get(id) as Row;
      const event = listingEvent(id, revision, new Date(), { type: 'snapshot', data: { listing } });
      lines.set(id, JSON.stringify(event));
    }
    // The ids are ASCII, so this is the order of their bytes.
    return [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  }

  #changeOne(): [id: string, row: Row] {
    const random = this.#random;
    const id = `${ROW_PREFIX}${String(random.integer(0, ROWS - 1)).padStart(5, '0')}`;
    const revision = ++this.#revision;
    const row: Row = {
      revision,
      title: `Casa ${revision}`,
      price: random.integer(50, 900),
      city: random.pick(CITIES),
      url: `https://vitrine.example/${id}`,
      isDeleted: random.chance(DELETED),
    };
    this.#rows.set(id, row);
    return [id, row];
  }
}

/** The record that infra/kubernetes/example/ingest/mapping.ts maps to an event. */
const recordOf = (id: string, { revision, isDeleted, ...row }: Row): EventRecord =>
  isDeleted
    ? { key: id, value: null, headers: { version: String(revision) } }
    : { key: id, value: JSON.stringify({ revision, ...row }) };
