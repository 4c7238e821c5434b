import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerRuntimeClient, StartedTestContainer } from 'testcontainers';
import { type EngineControl, EnginesError } from '../engine-control.ts';
import type { Probe } from '../readiness.ts';

const START_TIMEOUT_MS = 120_000;
const STOP_GRACE_S = 20;

type Container = ReturnType<ContainerRuntimeClient['container']['getById']>;

/** Controls a container with requests to Docker, which run in order. */
export class ContainerControl implements EngineControl {
  readonly pid = undefined;
  readonly #container: Container;
  readonly #probe: Probe;
  #last: Promise<void> = Promise.resolve();
  #running = true;
  #frozen = false;

  private constructor(container: Container, probe: Probe) {
    this.#container = container;
    this.#probe = probe;
  }

  /** Waits until the engine in the container is ready. */
  static async whenUp(started: Pick<StartedTestContainer, 'getId'>, probe: Probe): Promise<ContainerControl> {
    const { getContainerRuntimeClient } = await import('testcontainers');
    const client = await getContainerRuntimeClient();
    const control = new ContainerControl(client.container.getById(started.getId()), probe);
    await control.#answers();
    return control;
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
      await this.#answers();
    });
  }

  freeze(): Promise<void> {
    return this.#then(async () => {
      if (this.#running && !this.#frozen) await this.#container.pause();
      this.#frozen = this.#running;
    });
  }

  thaw(): Promise<void> {
    return this.#then(() => this.#unpause());
  }

  async #unpause(): Promise<void> {
    if (this.#frozen) await this.#container.unpause();
    this.#frozen = false;
  }

  /** Runs a command after all earlier commands. If an earlier command fails, this command fails too. */
  #then(command: () => Promise<void>): Promise<void> {
    const result = this.#last.then(command);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #answers(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await this.#probe())) {
      const { State } = await this.#container.inspect();
      if (!State.Running)
        throw new EnginesError(`the process in the container ended with exit code ${State.ExitCode}`);
      if (Date.now() > deadline)
        throw new EnginesError(
          `The engine in container ${this.#container.id} did not respond within ` +
            `${START_TIMEOUT_MS / 1000} s.`,
        );
      await delay(200);
    }
  }
}
