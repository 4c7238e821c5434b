import { getHeapStatistics } from 'node:v8';
import { PageTooLarge } from '../search/search-failure.ts';
import { Overloaded } from '../search/search-limiter.ts';
import { nextTurn } from '../search/work-turns.ts';

/** The maximum that one request may use. */
export interface BudgetLimits {
  /** Bytes of documents that all of the request's searches may return together. */
  foundBytes: number;
  /** Number of searches for documents. */
  searches: number;
  /** Characters of JSON that the request may serialize. */
  jsonCharacters: number;
}

/** How many bytes of memory a request holds for each found byte and each serialized character. */
interface HeldBytes {
  found: number;
  serialized: number;
}

export interface RequestLimits extends BudgetLimits {
  /** If `held` is absent, the budget assumes that the request parses the documents that it finds. */
  held?: HeldBytes;
}

const MIB = 1024 * 1024;

/** The bytes of documents that one request to any interface may find, unless a single document is larger. */
export const FOUND_BYTES = 8 * MIB;
/**
 * The limits for a page of a feed or of changes, and for each slice of an export. Nothing is parsed, because
 * the response consists of pieces of the found bytes. A page that is shortened needs another search. The
 * character limit leaves room for one document of any size.
 */
export const PAGE_LIMITS: RequestLimits = {
  foundBytes: FOUND_BYTES,
  searches: 16,
  jsonCharacters: 25 * MIB,
  held: { found: 1, serialized: 1 },
};
/**
 * The limits for a request or a whole batch over MCP. The SDK holds several copies of a result's JSON. The
 * tools' answers have a few thousand tokens.
 */
export const MCP_LIMITS: RequestLimits = { foundBytes: FOUND_BYTES, searches: 40, jsonCharacters: MIB };
/** The limits for a UCP request over REST. */
export const REST_LIMITS: RequestLimits = { foundBytes: FOUND_BYTES, searches: 8, jsonCharacters: 4 * MIB };

/**
 * Parsing turns a found byte into at most two bytes of text, in addition to the found byte. A character is
 * held as text (2 bytes) and as UTF-8 (at most 3 bytes).
 */
const PARSED: HeldBytes = { found: 3, serialized: 5 };
/** One turn of the event loop does about this much work, in bytes, so a turn takes a few milliseconds. */
const TURN_WORK = MIB / 4;
/** The bytes of work for which a request costs one more unit of the rate limit. */
export const WORK_PER_COST = MIB / 2;

/** A request has used up one part of its budget. */
export class BudgetExceeded extends Error {
  readonly part: keyof BudgetLimits;

  constructor(part: keyof BudgetLimits) {
    super(`the request has used up its budget: ${part}`);
    this.name = 'BudgetExceeded';
    this.part = part;
  }
}

/**
 * The budget of one request or one batch. Everything that the request reads and writes counts toward it. The
 * memory that the request holds also counts toward the memory that all requests of the process share
 * (docs/decisions/0087-one-budget-per-request.md).
 */
export class RequestBudget {
  readonly client: string;
  readonly #memory: SharedMemory;
  readonly #left: BudgetLimits;
  readonly #heldBytes: HeldBytes;
  #held = 0;
  #hasFound = false;
  #isClosed = false;
  #work = 0;
  #allWork = 0;
  #charged = 0;
  #charge: ((cost: number) => void) | undefined;

  /** @param client the client whose share of the service the request uses */
  constructor({ held = PARSED, ...limits }: RequestLimits, memory: SharedMemory, client = '') {
    this.client = client;
    this.#left = limits;
    this.#heldBytes = held;
    this.#memory = memory;
  }

  /** Returns how much of a part is left. */
  left(part: keyof BudgetLimits): number {
    return Math.max(this.#left[part], 0);
  }

  /** The bytes of documents that the next search may return. The first document may have any size. */
  get readable(): number {
    return this.#hasFound ? this.left('foundBytes') : Number.POSITIVE_INFINITY;
  }

  /** Counts one search for documents. @throws BudgetExceeded */
  search(): void {
    this.#spend('searches', 1);
  }

  /**
   * Counts the bytes of found documents. One document may exceed the limit if it is the first one, because
   * every listing must be readable.
   * @throws Overloaded if the process has no memory for them
   */
  found(bytes: number): void {
    this.#hold(bytes * this.#heldBytes.found);
    this.#left.foundBytes -= bytes;
    this.#hasFound ||= bytes > 0;
  }

  /** Counts serialized JSON. @throws BudgetExceeded; Overloaded if the process has no memory for it */
  serialized(characters: number): void {
    if (characters > this.left('jsonCharacters')) throw new BudgetExceeded('jsonCharacters');
    this.#hold(characters * this.#heldBytes.serialized);
    this.#left.jsonCharacters -= characters;
  }

  /**
   * Counts the work that was just done on `bytes` bytes, and lets other requests run after every `TURN_WORK`
   * bytes.
   */
  async worked(bytes: number): Promise<void> {
    this.#work += bytes;
    this.#allWork += bytes;
    this.#settle();
    if (this.#work < TURN_WORK) return;
    this.#work = 0;
    await nextTurn();
  }

  /** The cost of the work, as a number of requests in the client's rate limit. */
  get cost(): number {
    return Math.floor(this.#allWork / WORK_PER_COST);
  }

  /**
   * Gives back the memory.
   * @param charge receives the cost of the work. It also receives the cost of later work, because other
   * requests may wait for an evaluation that this request began.
   */
  close(charge?: (cost: number) => void): void {
    this.#isClosed = true;
    this.#memory.giveBack(this.#held);
    this.#held = 0;
    this.#charge = charge;
    this.#settle();
  }

  #settle(): void {
    const cost = this.cost - this.#charged;
    if (!this.#charge || cost === 0) return;
    this.#charged += cost;
    this.#charge(cost);
  }

  #spend(part: keyof BudgetLimits, amount: number): void {
    if (amount > this.left(part)) throw new BudgetExceeded(part);
    this.#left[part] -= amount;
  }

  #hold(bytes: number): void {
    // The work of a request that was given up may still be running.
    if (this.#isClosed) throw new Overloaded('the caller gave up');
    this.#memory.take(bytes);
    this.#held += bytes;
  }
}

export type NewBudget = (limits: RequestLimits, client?: string) => RequestBudget;

/** The share of the heap that the parsed and serialized listings of all agents' requests may use together. */
const AGENTS_SHARE = 0.3;
/** The share of the heap that all pages of feeds and changes, and all slices of exports, may use together. */
const PAGES_SHARE = 0.5;

/** Computes the memory, in bytes, that all agents' requests of a process may hold. */
export const sharedBytesOf = (): number => Math.floor(getHeapStatistics().heap_size_limit * AGENTS_SHARE);

/**
 * Computes the memory, in bytes, that all pages and slices of a process may hold.
 * @param heapBytes the heap limit of the process
 */
export const pageMemoryOf = (heapBytes = getHeapStatistics().heap_size_limit): number =>
  Math.floor(heapBytes * PAGES_SHARE);

/** An account, in bytes, of the memory that the requests of a process share. */
export class SharedMemory {
  readonly #maxBytes: number;
  #held = 0;

  /** @param maxBytes see `sharedBytesOf` */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that requests hold now. */
  get held(): number {
    return this.#held;
  }

  /** @throws Overloaded if other requests hold too much. The client may retry later. */
  take(bytes: number): void {
    if (this.#held > 0 && this.#held + bytes > this.#maxBytes)
      throw new Overloaded('the listings of other requests use the memory');
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}

/**
 * Returns whether a request failed because it needs more than its budget. Each protocol has its own error for
 * this case.
 */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof BudgetExceeded || error instanceof PageTooLarge;
