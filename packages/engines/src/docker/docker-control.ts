import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerRuntimeClient } from 'testcontainers';
import { type EngineControl, EnginesError } from '../engine-control.ts';
import type { Probe } from '../readiness.ts';

const START_TIMEOUT_MS = 180_000;
const STOP_GRACE_S = 20;
const POLL_MS = 200;
const PAUSED_WITHIN_MS = 10_000;
/**
 * The status codes with which Docker reports that a container is already gone, or that its removal is in
 * progress.
 */
const GONE = [404, 409];

export type Container = ReturnType<ContainerRuntimeClient['container']['getById']>;

/** Controls a container with requests to Docker. The requests run one after another. */
export class ContainerControl implements EngineControl {
  readonly pid = undefined;
  readonly #container: Container;
  readonly #probe: Probe;
  readonly #signal: AbortSignal | undefined;
  #last: Promise<void> = Promise.resolve();
  #running = true;
  #frozen = false;

  /** @param container a container that Docker has started */
  constructor(container: Container, probe: Probe, signal?: AbortSignal) {
    this.#container = container;
    this.#probe = probe;
    this.#signal = signal;
  }

  stop(): Promise<void> {
    return this.#then(async () => {
      await this.#unpause();
      if (this.#running) await this.#container.stop({ t: STOP_GRACE_S });
      this.#running = false;
    });
  }

  kill(): Promise<void> {
    return this.#then(async () => {
      await this.#unpause();
      if (this.#running) await this.#container.kill();
      this.#running = false;
    });
  }

  start(): Promise<void> {
    return this.#then(async () => {
      if (this.#running) return;
      await this.#container.start();
      this.#running = true;
      await this.untilReady();
    });
  }

  freeze(): Promise<void> {
    return this.#then(async () => {
      if (this.#running && !this.#frozen) {
        await this.#container.pause();
        await this.#untilPaused();
      }
      this.#frozen = this.#running;
    });
  }

  thaw(): Promise<void> {
    return this.#then(() => this.#unpause());
  }

  /** Kills the container and deletes its data. Succeeds if the container is already gone. */
  remove(): Promise<void> {
    return this.#then(async () => {
      // Not every version of Docker kills a paused container.
      await this.#unpause().catch(() => undefined);
      this.#running = false;
      await removeContainer(this.#container);
    });
  }

  /**
   * Waits until the engine in the container is ready.
   * @throws EnginesError if the container ends or does not become ready; the signal's reason on abort
   */
  async untilReady(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await this.#probe())) {
      this.#signal?.throwIfAborted();
      const { State } = await this.#container.inspect();
      if (!State.Running) {
        const cause = State.OOMKilled ? ', because it exceeded its memory limit' : '';
        throw new EnginesError(`the process in the container ended with exit code ${State.ExitCode}${cause}`);
      }
      if (Date.now() > deadline)
        throw new EnginesError(`the engine did not respond within ${START_TIMEOUT_MS / 1000} s`);
      await delay(POLL_MS);
    }
  }

  /**
   * Waits until the container is paused, because Docker may confirm a pause before the processes in the
   * container have stopped.
   */
  async #untilPaused(): Promise<void> {
    const deadline = Date.now() + PAUSED_WITHIN_MS;
    while (!(await this.#container.inspect()).State.Paused) {
      if (Date.now() > deadline)
        throw new EnginesError(`Docker did not pause the container within ${PAUSED_WITHIN_MS / 1000} s.`);
      await delay(10);
    }
  }

  async #unpause(): Promise<void> {
    if (this.#frozen) await this.#container.unpause();
    this.#frozen = false;
  }

  /**
   * Runs a command after all earlier commands have ended. If an earlier command fails, the later ones still
   * run.
   */
  #then(command: () => Promise<void>): Promise<void> {
    const result = this.#last.then(command);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Kills and removes a container with its anonymous volumes. Succeeds if the container is already gone. */
export async function removeContainer(container: Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (!GONE.includes((error as { statusCode?: number }).statusCode ?? 0)) throw error;
  }
}
