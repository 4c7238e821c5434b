import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { activeBuilders, isAlive } from '@vitrine/feed-index';
import { readLiveChanges, readRegistry, readRoles } from '@vitrine/projection/generations';
import type { Deployment } from '../../support/deployment.ts';
import { type ServiceProcess, startService } from '../../support/service-process.ts';
import { faultsOfLive } from '../checks/invariants.ts';
import type { Ledger } from '../checks/ledger.ts';
import type { OperatorStep } from '../plan/fault-kinds.ts';

const ATTEMPTS = 12;
const RETRY_MS = 5_000;
/** A command may fail because of a fault that ended up to this long ago. */
const DISTURBED_MS = 60_000;
/** A command needs the engines, and a replay or a switch also needs the projectors to make progress. */
const NEEDED = ['kafka', 'elasticsearch', 'projector'] as const;
const KILL_AFTER_MS = 1_500;
/** The rate of a replay that is killed, so that the kill arrives in the middle. */
const KILLED_RATE = '3000';
/**
 * The exit code for a negative or refused answer (docs/reference/cli.md). After `reconcile`, this code means
 * that the command has found a difference.
 */
const REFUSED = 3;
const CORRECTIONS = ['--publish', '--yes', '--max-removals', '100%'];

interface CommandResult {
  code: number | null;
  stdout: string;
}

/**
 * Runs the operator's commands as processes alongside the faults, and repeats those that a fault made fail.
 */
export class Operator {
  /** The number of completed steps by kind. */
  readonly done: Partial<Record<OperatorStep, number>> = {};
  readonly #deployment: Deployment;
  readonly #ledger: Ledger;
  readonly #signal: AbortSignal;
  readonly #folder: string;
  readonly #source: () => string[];
  #running: ServiceProcess | undefined;

  /**
   * @param folder the folder for the log and for the source of `reconcile`
   * @param source the lines of the source at this moment
   */
  constructor(
    deployment: Deployment,
    ledger: Ledger,
    folder: string,
    source: () => string[],
    signal: AbortSignal,
  ) {
    this.#deployment = deployment;
    this.#ledger = ledger;
    this.#folder = folder;
    this.#source = source;
    this.#signal = signal;
    signal.addEventListener('abort', () => void this.#running?.end('SIGKILL'), { once: true });
  }

  async perform(step: OperatorStep): Promise<void> {
    if (step === 'rebuild') await this.#rebuild();
    else if (step === 'killed-rebuild') await this.#killedRebuild();
    else if (step === 'rollback') await this.#rollback();
    else if (step === 'reconcile') await this.#reconcile();
    else await this.#until(['prune']);
    this.done[step] = (this.done[step] ?? 0) + 1;
  }

  /** Compares the items of the live generation with its states. @returns the output, and whether they are equal */
  async checksItself(): Promise<{ isEqual: boolean; output: string }> {
    const { code, stdout } = await this.#run(['verify', '--self', '--dry-run']);
    return { isEqual: code === 0, output: stdout };
  }

  /** Compares the feed with the marketplace's database, and publishes the corrections. */
  async #reconcile(): Promise<void> {
    const file = join(this.#folder, 'source.jsonl');
    for (let attempt = 1; ; attempt++) {
      // An event of this millisecond may follow the source.
      const asOf = new Date(Date.now() - 1).toISOString();
      await writeFile(file, this.#source().join('\n'));
      const { code, stdout } = await this.#run([
        'reconcile',
        '--source',
        file,
        '--as-of',
        asOf,
        ...CORRECTIONS,
      ]);
      this.#signal.throwIfAborted();
      if (code === 0 || code === REFUSED) return;
      const message = `reconcile ended with ${code}: ${stdout.slice(0, 600)}`;
      if (attempt === ATTEMPTS) throw new Error(message);
      if (!this.#ledger.isDisturbed(DISTURBED_MS, NEEDED)) this.#ledger.violate(`operator: ${message}`);
      await sleep(RETRY_MS, undefined, { signal: this.#signal });
    }
  }

  async #rebuild(): Promise<void> {
    await this.#until(['replay'], ['replay', 'resume']);
    await this.#verifyAndSwitch();
  }

  async #killedRebuild(): Promise<void> {
    const replay = this.#start(['replay', '--rate', KILLED_RATE]);
    await Promise.race([replay.exited, sleep(KILL_AFTER_MS)]);
    await replay.end('SIGKILL');
    const { building } = await this.#generations();
    if (building === undefined) await this.#until(['replay'], ['replay', 'resume']);
    else {
      await this.#untilNoBuilderIsAlive();
      await this.#until(['replay', 'resume']);
    }
    await this.#verifyAndSwitch();
  }

  /** A difference that a concurrent event explains disappears when `verify` runs again. */
  async #verifyAndSwitch(): Promise<void> {
    const { newest, live } = await this.#generations();
    if (newest === undefined || newest === live) throw new Error('there is no generation to switch to');
    await this.#until(['verify', String(newest)]);
    await this.#makeLive('switch', newest);
  }

  async #rollback(): Promise<void> {
    const { previous, live } = await this.#generations();
    if (previous === undefined || live === undefined) return;
    await this.#makeLive('rollback', previous);
    await sleep(RETRY_MS, undefined, { signal: this.#signal });
    await this.#until(['verify', String(live)]);
    await this.#makeLive('switch', live);
  }

  /** Runs a command until it succeeds. @param again replaces the command after its first failure */
  async #until(first: readonly string[], again = first): Promise<void> {
    let command = first;
    for (let attempt = 1; ; attempt++) {
      const { code, stdout } = await this.#run(command);
      this.#signal.throwIfAborted();
      if (code === 0) return;
      const message = `${command.join(' ')} ended with ${code}: ${stdout.slice(0, 600)}`;
      if (attempt === ATTEMPTS) throw new Error(message);
      const isPermitted = code === REFUSED || this.#ledger.isDisturbed(DISTURBED_MS, NEEDED);
      if (!isPermitted) this.#ledger.violate(`operator: ${message}`);
      const { building } = await this.#generations();
      command =
        building === undefined && again !== first ? ((await this.#isBuilt()) ? ['status'] : first) : again;
      await sleep(RETRY_MS, undefined, { signal: this.#signal });
    }
  }

  /** Whether a replay completed although its process failed afterwards. */
  async #isBuilt(): Promise<boolean> {
    const { newest, live } = await this.#generations();
    return newest !== live;
  }

  /** Makes a generation live with `switch` or `rollback`, and checks that readers get this generation. */
  async #makeLive(command: 'switch' | 'rollback', number: number): Promise<void> {
    await this.#until([command, String(number)]);
    const { client, prefix } = this.#deployment;
    const [roles, changes] = await this.#readThroughFaults(() =>
      Promise.all([readRoles(client, prefix), readLiveChanges(client, prefix)]),
    );
    for (const fault of faultsOfLive(number, roles, changes))
      this.#ledger.violate(`operator: after ${command} ${number}: ${fault}`);
  }

  /** Reads from Elasticsearch, and repeats this while a fault prevents it. @throws ElasticsearchClientError */
  async #readThroughFaults<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (!this.#ledger.isDisturbed(DISTURBED_MS, ['elasticsearch'])) throw error;
        await sleep(RETRY_MS, undefined, { signal: this.#signal });
      }
    }
  }

  async #generations() {
    const { client, prefix } = this.#deployment;
    const [registry, roles] = await this.#readThroughFaults(() =>
      Promise.all([readRegistry(client, prefix), readRoles(client, prefix)]),
    );
    const { generations = [] } = registry ?? {};
    const ready = generations.filter(({ phase }) => phase === 'ready').map(({ number }) => number);
    const building = generations.find(({ phase }) => phase !== 'ready' && phase !== 'pruning')?.number;
    return {
      live: roles.live,
      previous: roles.previous,
      newest: ready.length > 0 ? Math.max(...ready) : undefined,
      building,
    };
  }

  async #untilNoBuilderIsAlive(): Promise<void> {
    const { client, prefix } = this.#deployment;
    for (; ; await sleep(1_000, undefined, { signal: this.#signal })) {
      const registry = await readRegistry(client, prefix).catch(() => undefined);
      if (registry && activeBuilders(registry).every((builder) => !isAlive(builder, Date.now()))) return;
    }
  }

  #start(args: readonly string[]): ServiceProcess {
    this.#signal.throwIfAborted();
    const process = startService('cli', this.#deployment.env, [...args, '--json']);
    this.#running = process;
    const log = createWriteStream(join(this.#folder, 'operator.log'), { flags: 'a' });
    log.write(`# ${new Date().toISOString()} ${args.join(' ')}\n`);
    for (const stream of [process.child.stdout, process.child.stderr])
      stream?.on('data', (chunk: Buffer) => log.write(chunk));
    void process.exited.then((code) => log.end(`# exit code ${code ?? 'none'}\n`));
    return process;
  }

  async #run(args: readonly string[]): Promise<CommandResult> {
    const process = this.#start(args);
    const code = await process.exited;
    return { code, stdout: process.log() };
  }
}
