import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';

/** Some milliseconds of work: what comes from Elasticsearch and Kafka meanwhile waits no longer. */
const ITEMS_A_STRETCH = 100;

/**
 * The turns in which the chunks of a feed are decoded and folded. All of it is work of the one thread that also talks to
 * Elasticsearch: chunks of several partitions that are prepared at once are all ready at once, and until then
 * Elasticsearch has nothing to do. So it is one at a time, what is decoded is folded before another is decoded, and between
 * stretches whatever has arrived is seen to.
 */
export class Preparation {
  readonly #turns = new PQueue({ concurrency: 1 });

  decode<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn(work, 0);
  }

  fold<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn(work, 1);
  }

  /** A turn ends a moment after its work: whoever waited for that can ask for the next before somebody else has it. */
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

/** The same, with a breath for everything else after each stretch. */
export async function* inStretches<T>(all: Iterable<T>): AsyncGenerator<T[]> {
  let stretch: T[] = [];
  for (const one of all) {
    stretch.push(one);
    if (stretch.length < ITEMS_A_STRETCH) continue;
    yield stretch;
    stretch = [];
    await setImmediate();
  }
  if (stretch.length > 0) yield stretch;
}
