import { readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type OwnedProcess, type ProcessSupervisor, signalProcess } from '@vitrine/runtime/processes';
import { type EngineControl, EnginesError } from './engine-control.ts';
import { readLog, tailOf } from './engine-log.ts';
import { describeExit, type Launch, launch } from './launch.ts';
import { portWasTaken } from './ports.ts';
import type { Probe } from './readiness.ts';
import type { StartedEngine } from './start-request.ts';

/**
 * A start takes 25 s on an idle machine, and minutes on a busy one. If the process ends, the wait ends at
 * once.
 */
const START_TIMEOUT_MS = 300_000;
const ASK_EVERY_MS = 100;
/** The engines need one or two seconds to flush their data before a restart. */
const STOP_GRACE_MS = 20_000;

/**
 * The flags for a JVM that runs only for minutes. With them, the JVM compiles code once, without optimizing
 * it later.
 */
export const SHORT_LIVED = ['-XX:TieredStopAtLevel=1'];

/** An engine whose files have been written, with its command and its readiness probe. */
export interface PreparedEngine {
  readonly title: string;
  /** The address at which clients reach the engine. */
  readonly address: string;
  /** The engine's own folder within the instance folder. */
  readonly folder: string;
  /** A command that must complete before the first start. */
  readonly setup: Launch | undefined;
  /** Returns the command that runs the engine. */
  launch(): Launch;
  readonly log: string;
  /**
   * The file that contains the JVM's process id. It is undefined if the launched process is the JVM itself.
   */
  readonly pidFile: string | undefined;
  /** The signal that shuts the engine down cleanly. The default is SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  readonly probe: Probe;
}

/** Writes an engine's files, which contain free ports. */
export type Prepare = () => Promise<PreparedEngine>;

class PortTakenError extends EnginesError {}

/** An engine that runs as a process under a supervisor. */
export class EngineProcess implements EngineControl {
  readonly #supervisor: ProcessSupervisor;
  readonly #engine: PreparedEngine;
  readonly #signal: AbortSignal | undefined;
  #process: OwnedProcess | undefined;
  #pid: number | undefined;

  private constructor(
    supervisor: ProcessSupervisor,
    engine: PreparedEngine,
    signal: AbortSignal | undefined,
  ) {
    this.#supervisor = supervisor;
    this.#engine = engine;
    this.#signal = signal;
  }

  /**
   * Prepares and starts an engine. If another program has taken a port in the meantime, tries again with
   * other ports.
   * @throws EnginesError with the last lines of the engine's log
   */
  static async start(
    supervisor: ProcessSupervisor,
    prepare: Prepare,
    signal: AbortSignal | undefined,
  ): Promise<StartedEngine> {
    for (let triesLeft = 3; ; triesLeft -= 1) {
      const engine = await prepare();
      try {
        const control = new EngineProcess(supervisor, engine, signal);
        if (engine.setup !== undefined) await control.#setUp(engine.setup);
        await control.start();
        return { address: engine.address, control };
      } catch (error) {
        if (triesLeft === 0 || !(error instanceof PortTakenError)) throw error;
        await rm(engine.folder, { recursive: true, force: true });
      }
    }
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  async start(): Promise<void> {
    if (this.#process !== undefined) return;
    const before = (await readLog(this.#engine.log)).length;
    const started = launch(this.#supervisor, this.#engine.launch());
    this.#process = started;
    let how: string | undefined;
    void started.exited.then((exit) => {
      how = describeExit(exit);
      this.#process = undefined;
      this.#pid = undefined;
    });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await this.#engine.probe())) {
      if (how !== undefined) throw await this.#died(how, before);
      if (this.#signal?.aborted || Date.now() > deadline) {
        await this.kill();
        this.#signal?.throwIfAborted();
        throw await this.#died(`no response within ${START_TIMEOUT_MS / 1000} s`, before);
      }
      await delay(ASK_EVERY_MS);
    }
    // If the engine has ended, the response came from another program on this port.
    if (how !== undefined) throw await this.#died(how, before);
    this.#pid = await this.#jvm(started.pid);
  }

  async stop(): Promise<void> {
    const { stopSignal } = this.#engine;
    if (stopSignal !== undefined) this.#process?.child.kill(stopSignal);
    await this.#process?.stop(STOP_GRACE_MS);
  }

  async kill(): Promise<void> {
    await this.#process?.stop(0);
  }

  async freeze(): Promise<void> {
    if (this.#process !== undefined) signalProcess(-this.#process.pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    if (this.#process !== undefined) signalProcess(-this.#process.pid, 'SIGCONT');
  }

  async #setUp(setup: Launch): Promise<void> {
    const started = launch(this.#supervisor, setup);
    started.child.ref(); // nothing else keeps the event loop alive
    const exit = await started.exited;
    if (exit.code !== 0) throw await this.#died(describeExit(exit), 0);
  }

  async #jvm(launched: number): Promise<number> {
    return this.#engine.pidFile === undefined
      ? launched
      : Number((await readFile(this.#engine.pidFile, 'utf8')).trim());
  }

  async #died(how: string, logOffset: number): Promise<EnginesError> {
    const log = (await readLog(this.#engine.log)).slice(logOffset);
    const Reason = portWasTaken(log) ? PortTakenError : EnginesError;
    return new Reason(`${this.#engine.title} did not start (${how}). The end of its log:\n${tailOf(log)}`);
  }
}
