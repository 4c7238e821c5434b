import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rules } from '@vitrine/listing';
import {
  decodeRecord,
  MAX_RECORD_BYTES,
  type RecordFault,
  type RecordOrEvent,
  recordFaults,
  type VersionBound,
} from '@vitrine/listing-events';
import { type CheckResult, Tallies } from './check-result.ts';
import { CheckedListing } from './checked-listing.ts';
import { EventStore } from './event-store.ts';
import { FaultGroups } from './fault-groups.ts';
import type { Finding } from './finding.ts';
import { listingOf } from './listing-of.ts';
import type { Position } from './position.ts';
import { decodeEvent, encodeEvent } from './stored-event.ts';

/** Receives findings, hidden listings, dropped members and warnings, one document each. */
interface Report {
  write(document: object): void;
  end(): void;
}

interface RunOptions {
  rules: Rules;
  /** The bound that MAX_VERSION sets. Without a bound, every version is accepted. */
  versionBound?: VersionBound | undefined;
  report: Report | undefined;
  /** The current time in epoch milliseconds. */
  now: number;
  store?: EventStore;
}

const MAX_FINDINGS = 1_000;
const LINES_PER_TURN = 1_000;

/**
 * A check in two steps. `add` decodes each record, and stores accepted events. `finish` folds the events of
 * each listing, and derives its item. The memory in use does not depend on the number of records.
 */
export class CheckRun {
  readonly #rules: Rules;
  readonly #versionBound: VersionBound | undefined;
  readonly #report: Report | undefined;
  readonly #now: number;
  readonly #store: EventStore;
  #records = 0;
  #accepted = 0;
  #skipped = 0;
  #findings = 0;
  readonly #refused = new Tallies();
  readonly #firstFindings: Finding[] = [];
  readonly #faults = new FaultGroups();

  constructor({ rules, versionBound, report, now, store = new EventStore() }: RunOptions) {
    this.#rules = rules;
    this.#versionBound = versionBound;
    this.#report = report;
    this.#now = now;
    this.#store = store;
  }

  /**
   * Adds a record from the input.
   * @param timestamp the timestamp of a record from a topic, in epoch milliseconds
   * @throws Error if the report or the temporary file cannot be written
   */
  add(record: RecordOrEvent, position: Position, timestamp?: number): void {
    const maxVersion = this.#versionBound?.(timestamp);
    const decoded = decodeRecord(record, maxVersion);
    switch (decoded.outcome) {
      case 'event':
        this.#records++;
        this.#accepted++;
        this.#store.add(decoded.event.id, encodeEvent(decoded.event, position));
        return;
      case 'skipped':
        this.#records++;
        this.#skipped++;
        return;
      case 'refused':
        this.refuse(decoded.reason, recordFaults(record, maxVersion), position, listingOf(record));
        return;
      default:
        decoded satisfies never;
    }
  }

  /** Adds a record that is too large to be held in memory. @param bytes its size */
  addTooLarge(beginning: Buffer, bytes: number, position: Position): void {
    const message = `the value has ${bytes} bytes; the limit is ${MAX_RECORD_BYTES}`;
    const fault = { reason: 'too-large', path: '', value: bytes, limit: MAX_RECORD_BYTES, message } as const;
    this.refuse(fault.reason, [fault], position, listingOf({ key: undefined, value: beginning }));
  }

  /** Adds a record that becomes a dead letter for this reason. */
  refuse(
    reason: string,
    faults: readonly (Omit<RecordFault, 'reason'> & { reason: string })[],
    position: Position,
    id?: string,
  ): void {
    this.#records++;
    this.#refused.add(reason);
    for (const { message, reason, path, value, limit } of faults) {
      const finding: Finding = {
        ...position,
        ...(id !== undefined && { id }),
        reason,
        path,
        ...(value !== undefined && { value }),
        ...(limit !== undefined && { limit }),
      };
      this.#findings++;
      if (this.#firstFindings.length < MAX_FINDINGS) this.#firstFindings.push(finding);
      this.#faults.add(finding, message);
      this.#report?.write(finding);
    }
  }

  /**
   * Folds the accepted events.
   * @param onProgress receives the numbers of folded events and of all accepted events
   * @throws the signal's reason after an interruption; Error if a file cannot be read or written
   */
  async finish(
    signal: AbortSignal,
    onProgress?: (done: number, total: number) => void,
  ): Promise<CheckResult> {
    const [hidden, dropped, warnings] = [new Tallies(), new Tallies(), new Tallies()];
    let visible = 0;
    let done = 0;
    const turn = async () => {
      onProgress?.(done, this.#store.lines);
      await nextTurn();
      signal.throwIfAborted();
    };
    for (const part of this.#store.parts()) {
      const listings = new Map<string, CheckedListing>();
      for (const { id, line } of part) {
        let listing = listings.get(id);
        if (!listing) {
          listing = new CheckedListing(id, this.#now, ({ kind, detail }) => {
            warnings.add(kind, id);
            this.#report?.write({ id, warning: kind, detail });
          });
          listings.set(id, listing);
        }
        listing.add(decodeEvent(id, line));
        if (++done % LINES_PER_TURN === 0) await turn();
      }
      let derived = 0;
      for (const [id, listing] of listings) {
        const result = listing.result(this.#rules);
        if (result.hidden === undefined) visible++;
        else {
          hidden.add(result.hidden, id, result.unusable);
          this.#report?.write({ id, hidden: result.hidden });
        }
        for (const { member, detail } of result.dropped) {
          dropped.add(member, id, detail);
          this.#report?.write({ id, dropped: member, detail });
        }
        if (++derived % LINES_PER_TURN === 0) await turn();
      }
    }
    this.#report?.end();
    return {
      summary: {
        records: this.#records,
        accepted: this.#accepted,
        refused: this.#refused.counts(),
        skipped: this.#skipped,
        findings: this.#firstFindings,
        listings: { visible, hidden: hidden.counts(), dropped: dropped.counts() },
        warnings: warnings.warnings(),
      },
      faults: this.#faults.list(),
      findings: this.#findings,
      hidden: hidden.list(),
      dropped: dropped.list(),
    };
  }

  close(): void {
    this.#store.close();
  }
}
