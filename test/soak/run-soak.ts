import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { itemsAlias } from '@vitrine/feed-index';
import { readRoles } from '@vitrine/projection/generations';
import { type Comparison, compareAll } from './checks/final-comparison.ts';
import { FollowerWatch } from './checks/follower-watch.ts';
import { Ledger } from './checks/ledger.ts';
import { MarketSource } from './load/market-source.ts';
import { Publisher } from './load/publisher.ts';
import { RowDatabase } from './load/row-database.ts';
import { type Clients, startClients } from './load/start-clients.ts';
import { FAULT_KINDS, type FaultKind, type FaultName, type OperatorStep } from './plan/fault-kinds.ts';
import { nameOf, planSchedule, type Schedule } from './plan/schedule.ts';
import { MemorySamples, residentMib } from './report/memory.ts';
import { progressLine } from './report/progress-line.ts';
import { type SoakReport, verdictOf } from './report/soak-report.ts';
import { runFault } from './system/faults.ts';
import { readLag } from './system/lag.ts';
import { Operator } from './system/operator.ts';
import { type SoakSystem, startSystem } from './system/soak-system.ts';
import { watchStarvation } from './system/starvation-watch.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Events per second. */
  readonly rate: number;
  readonly signal: AbortSignal;
  /** Prints a line for the user. */
  tell(message: string): void;
  /** The planned faults. By default, the schedule of the seed. */
  readonly schedule?: Schedule;
  /** How long a comparison may take until it finds no difference. */
  readonly equalWithinMs?: number;
  /** Called after the last event, before the comparison. A test damages the system here. */
  readonly beforeComparison?: (system: SoakSystem, clients: Clients) => Promise<void>;
}

const LISTINGS = { steady: 300, restless: 1_500 };
/** Row changes per second. */
const ROWS_RATE = 5;
const FIRST_ROWS = 1_000;
/** Fresh listings that may begin while `reconcile` runs. */
const FOLLOWING = 10_000;
const LOOK_EVERY_MS = 1_000;
const SAMPLE_EVERY_LOOKS = 10;
const PRINT_EVERY_LOOKS = 30;
const CAUGHT_UP_WITHIN_MS = 300_000;
/** Followers poll, and cached pages may be some seconds old. */
const EQUAL_WITHIN_MS = 90_000;
const NO_FAULT_AFTER = 0.97;

/** Runs a soak, and stops everything that it started. The report contains every broken promise. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, seed, signal, tell } = options;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-soak-'));
  const startedAt = new Date().toISOString();
  const plan = options.schedule ?? planSchedule(seed, minutes);
  tell(`seed ${seed}; logs in ${folder}`);
  if (plan.leftOut.length > 0) tell(`too short for: ${plan.leftOut.join(', ')}`);
  let ledger: Ledger | undefined;
  const system = await startSystem({ folder, signal, ledger: () => ledger, tell });
  try {
    ledger = new Ledger(({ at, what }) => tell(`violation at ${Math.round(at)} s: ${what}`));
    // No fault occurs during the start.
    for (const { what } of system.exits) ledger.violate(what);
    const run = new SoakRun(options, system, ledger, folder);
    await run.load(plan);
    await run.compare();
    return run.report({ startedAt, folder, leftOut: plan.leftOut });
  } finally {
    await system.stop();
  }
}

class SoakRun {
  readonly #options: SoakOptions;
  readonly #system: SoakSystem;
  readonly #ledger: Ledger;
  readonly #publisher: Publisher;
  readonly #rowsPublisher: Publisher;
  readonly #database: RowDatabase;
  readonly #market: MarketSource;
  readonly #operator: Operator;
  readonly #memory = new MemorySamples();
  readonly #faults: Partial<Record<FaultName, number>> = {};
  #comparisons: Comparison[] = [];
  #clients: Clients | undefined;
  #loadSeconds = 0;
  #caughtUpAfter: number | undefined;
  #operatorStep: string | undefined;

  constructor(options: SoakOptions, system: SoakSystem, ledger: Ledger, folder: string) {
    this.#options = options;
    this.#system = system;
    this.#ledger = ledger;
    this.#publisher = new Publisher(system.deployment.kafka, system.deployment.topic);
    this.#rowsPublisher = new Publisher(system.deployment.kafka, system.rowsTopic.name);
    this.#database = new RowDatabase(options.seed);
    this.#market = new MarketSource({ seed: options.seed, ...LISTINGS });
    const source = () => this.#database.source(this.#market.ids(FOLLOWING));
    this.#operator = new Operator(system.deployment, ledger, folder, source, options.signal);
  }

  /** Runs market, clients, faults and operator for the given time, or until the signal aborts. */
  async load(plan: Schedule): Promise<void> {
    const { minutes, rate, seed, signal } = this.#options;
    const { deployment, followers, queries } = this.#system;
    await this.#publisher.connect();
    await this.#rowsPublisher.connect();
    await this.#rowsPublisher.publish(this.#database.change(FIRST_ROWS), signal);
    await this.#publisher.publish([...this.#market.steadyRecords(), ...this.#market.next(2_000)], signal);
    await deployment.caughtUp();
    for (const follower of followers) follower.start();
    const steady = this.#market.steadyIds;
    this.#clients = startClients({ targets: queries, ledger: this.#ledger, seed, steady });
    const ending = new AbortController();
    const over = AbortSignal.any([signal, ending.signal]);
    const timer = setTimeout(() => ending.abort(), minutes * 60_000);
    const work = [
      this.#look(over),
      this.#publisher.run((count) => this.#market.next(count), rate, over),
      this.#rowsPublisher.run((count) => this.#database.change(count), ROWS_RATE, over),
      this.#runFaults(plan, over),
      watchStarvation(
        () => deployment.client.search({ index: itemsAlias(deployment.prefix), size: 1 }),
        this.#ledger,
        over,
      ),
      this.#runOperator(plan, over),
    ];
    await Promise.all(work);
    clearTimeout(timer);
    this.#loadSeconds = this.#ledger.seconds;
    if (signal.aborted) return;
    await this.#publisher.publish(this.#market.rest(), signal);
    await this.#clients.stopReaders();
    await this.#system.rowsTopic.ingested({ group: `${deployment.prefix}-ingest` });
    // This reconciliation finds the changes that the source has lost since the last comparison.
    await this.#perform('reconcile');
  }

  /** Waits until everything is read, and compares. Does nothing after an interruption. */
  async compare(): Promise<void> {
    const { signal, tell, beforeComparison, equalWithinMs = EQUAL_WITHIN_MS } = this.#options;
    const { deployment, queries, followers } = this.#system;
    const clients = this.#clients as Clients;
    try {
      if (signal.aborted) return;
      tell('the load has ended; waiting for the projectors');
      const begin = performance.now();
      const { live } = await readRoles(deployment.client, deployment.prefix);
      await deployment.caughtUp(CAUGHT_UP_WITHIN_MS, live);
      this.#caughtUpAfter = (performance.now() - begin) / 1_000;
      await beforeComparison?.(this.#system, clients);
      tell('comparing');
      const copy = clients.follower.copy;
      const { confirmed } = this.#publisher;
      const rows = this.#database.published();
      const state = { deployment, queries, followers, copy, confirmed, rows, equalWithinMs };
      this.#comparisons = await compareAll(state);
      const self = await this.#operator.checksItself();
      if (!self.isEqual) this.#ledger.violate(`verify --self: ${self.output.slice(0, 500)}`);
    } catch (error) {
      if (!signal.aborted) this.#ledger.violate(`the comparison failed: ${(error as Error).stack}`);
    } finally {
      await clients.stop();
      for (const publisher of [this.#publisher, this.#rowsPublisher])
        await publisher.close().catch(() => undefined);
    }
  }

  report(about: Pick<SoakReport, 'startedAt' | 'folder' | 'leftOut'>): SoakReport {
    const { seed, minutes, rate, signal } = this.#options;
    const ledger = this.#ledger;
    const found = {
      comparisons: this.#comparisons,
      memory: this.#memory.slopes(),
      violationCount: ledger.violationCount,
      minutes,
      exits: this.#system.exits,
    };
    return {
      seed,
      rate,
      command: `npm run soak -- --minutes ${minutes} --seed ${seed} --rate ${rate}`,
      ...about,
      loadSeconds: this.#loadSeconds,
      events: { published: this.#publisher.published, repeatedBatches: this.#publisher.repeated },
      rows: { changes: this.#database.changes, lost: this.#database.lost },
      faults: this.#faults,
      operator: this.#operator.done,
      requests: ledger.byClass,
      serverErrors: ledger.serverErrors,
      permitted: ledger.permitted,
      changesFollowed: this.#clients?.follower.followed ?? 0,
      caughtUpAfterSeconds: this.#caughtUpAfter,
      violations: ledger.violations,
      timeline: ledger.timeline(),
      memorySamples: this.#memory.all(),
      ...found,
      verdict: verdictOf(found, signal.aborted),
    };
  }

  /** Runs each fault at its time, or later if the previous fault took longer than planned. */
  async #runFaults({ faults }: Schedule, over: AbortSignal): Promise<void> {
    const { seed, minutes, tell } = this.#options;
    for (const [i, fault] of faults.entries()) {
      await this.#until(fault.at, over);
      if (over.aborted || this.#ledger.seconds > minutes * 60 * NO_FAULT_AFTER) return;
      const begin = performance.now();
      await runFault(this.#system, this.#ledger, fault, seed + i, over).catch((error: Error) => {
        if (!this.#options.signal.aborted)
          this.#ledger.violate(`${nameOf(fault)} did not end: ${error.message}`);
      });
      this.#faults[fault.kind] = (this.#faults[fault.kind] ?? 0) + 1;
      tell(`${nameOf(fault)}: ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
      const { restSeconds }: FaultKind = FAULT_KINDS[fault.kind];
      await this.#until(this.#ledger.seconds + restSeconds, over);
    }
  }

  async #runOperator({ operator }: Schedule, over: AbortSignal): Promise<void> {
    for (const { at, kind } of operator) {
      await this.#until(at, over);
      if (over.aborted) return;
      // Work that the end of the load interrupts continues, because readers must not notice that work either.
      await this.#perform(kind);
    }
  }

  async #perform(step: OperatorStep): Promise<void> {
    this.#operatorStep = step;
    await this.#operator.perform(step).catch((error: Error) => {
      if (!this.#options.signal.aborted) this.#ledger.violate(`operator, ${step}: ${error.message}`);
    });
    this.#operatorStep = undefined;
  }

  async #until(seconds: number, over: AbortSignal): Promise<void> {
    const ms = Math.max(0, (seconds - this.#ledger.seconds) * 1_000);
    await sleep(ms, undefined, { signal: over }).catch(() => undefined);
  }

  /** Samples memory, watches the followers and prints a line every 30 s. */
  async #look(over: AbortSignal): Promise<void> {
    const { projectors, ingests, queries, followers } = this.#system;
    const watch = new FollowerWatch();
    for (let look = 1; !over.aborted; look++) {
      await sleep(LOOK_EVERY_MS);
      // An interruption may already have stopped the followers.
      if (this.#options.signal.aborted) return;
      watch.look(followers, this.#ledger);
      const services = [...projectors, ...ingests, ...queries];
      if (look % SAMPLE_EVERY_LOOKS === 0) this.#memory.sample(services, this.#ledger.seconds / 3_600);
      if (look % PRINT_EVERY_LOOKS === 0) await this.#print();
    }
  }

  async #print(): Promise<void> {
    const { projectors, ingests, queries } = this.#system;
    const lasting = this.#ledger.windows.filter(({ to }) => to === undefined);
    const current = lasting.map(nameOf).concat(this.#operatorStep ?? []);
    const line = progressLine({
      seconds: this.#ledger.seconds,
      published: this.#publisher.published,
      lag: await readLag(this.#system.deployment),
      items: this.#clients?.total() ?? 0,
      byClass: this.#ledger.byClass,
      serverErrors: this.#ledger.serverErrors,
      failed: this.#ledger.violationCount,
      followed: this.#clients?.follower.followed ?? 0,
      current,
      memory: [...projectors, ...ingests, ...queries].map(({ name, pid }) => ({
        name,
        mib: residentMib(pid),
      })),
    });
    this.#options.tell(line);
  }
}
