import { builderClientId, type GenerationRecord } from '@vitrine/feed-index';
import {
  type GenerationConsumer,
  type GenerationConsumerOptions,
  groupOf,
  startGenerationConsumer,
} from '@vitrine/projection/generations';
import { Admission } from './admission.ts';
import type { Build } from './build.ts';
import { untilCommitted } from './consumer-group.ts';
import { retryAndLog } from './retry-and-log.ts';

/**
 * Starts the consumer of a builder in the form that its phase needs.
 * - `folding`: writes a state for every listing. Each member confirms the phase after it has joined, so that
 *   it reads no batch after the items are derived.
 * - `projecting`: writes states and items in one pass. The same consumer then follows the topic.
 * - `following`: runs at full speed even if there are readers, because it has to keep up with new events.
 * @throws the same errors as `startGenerationConsumer`
 */
export function startBuildConsumer(build: Build, record: GenerationRecord): Promise<GenerationConsumer> {
  const { phase } = record;
  const admit = admission(build, record);
  return startGenerationConsumer(build, record, {
    clientId: builderClientId(build.lease.id),
    ...(phase === 'folding' ? { statesOnly: true, ...whileFolding(build, admit) } : { admit }),
    ...(phase !== 'following' && { bulkLoad: true }),
    // The readers already have the listings from the live generation.
    ...(phase === 'projecting' && { notesChanges: () => build.isFollowing }),
  });
}

type Admit = NonNullable<GenerationConsumerOptions['admit']>;

function whileFolding(
  { lease, log, signal: ended }: Build,
  admit: Admit,
): Pick<GenerationConsumerOptions, 'onJoined' | 'admit'> {
  let confirmed: Promise<boolean> | undefined;
  const isFolding = async () => (await retryAndLog(() => lease.beat(), log, ended)).phase === 'folding';
  return {
    onJoined: () => {
      confirmed = undefined;
    },
    admit: async (count, signal, onWait) => {
      confirmed ??= isFolding();
      // The consumer stops soon, because the phase is over.
      if (!(await confirmed)) await untilAborted(signal);
      return admit(count, signal, onWait);
    },
  };
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Admits chunks while the lease is valid, as fast as the rate or the readers allow. */
function admission(build: Build, { rate, phase }: GenerationRecord): Admit {
  const { lease } = build;
  const readers = {
    get reading() {
      return phase !== 'following' && !build.isFollowing && build.readers.reading;
    },
  };
  const admission = new Admission(rate, readers, () => lease.builders);
  return async (count, signal, onWait) => {
    await lease.confirmed(signal, onWait);
    return admission.admit(count, signal, onWait);
  };
}

/**
 * Resolves when the group has committed all records that the log contains at the call, or when the phase is
 * over.
 * @param onLastPart called at each poll after most of the log has been read
 * @returns the same value as `untilCommitted`
 * @throws the same errors as `untilCommitted`; the signal's reason
 */
export async function untilGroupCommitted(
  build: Build,
  { number, phase, topic_id }: GenerationRecord,
  onLastPart: () => void,
): Promise<number> {
  const tookMs = await untilCommitted(
    build,
    groupOf(build.settings.CONSUMER_GROUP, number),
    build.signal,
    (done, total) => {
      build.lease.note({ done, total });
      build.onProgress({ generation: number, phase, done, total });
    },
    { topicId: topic_id, isOver: () => build.lease.record.phase !== phase, onLastPart },
  );
  build.signal.throwIfAborted();
  return tookMs;
}
