import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';

/**
 * Schedules decoding and folding on the thread that also communicates with Elasticsearch. If the thread
 * prepared several chunks concurrently, all of them would be ready at the same time, and Elasticsearch would
 * be idle until that moment. Therefore the thread prepares one chunk at a time, folds before it decodes, and
 * periodically yields to I/O.
 */
export class CpuTurns {
  readonly #turns = new PQueue({ concurrency: 1 });

  decode<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn(work, 0);
  }

  fold<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn(work, 1);
  }

  /**
   * Ends a turn slightly after its work is done, so that the caller can request the next turn before other
   * callers get it.
   */
  #turn<T>(work: () => Promise<T>, priority: number): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.#turns.add(
        async () => {
          await work().then(resolve, reject);
          await setImmediate();
        },
        { priority },
      );
    });
  }
}
