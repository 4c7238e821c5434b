import { randomUUID } from 'node:crypto';
import {
  findGeneration,
  GenerationError,
  isSwitching,
  type Registry,
  SWITCHING_MS,
} from '@vitrine/feed-index';
import { updateRegistry } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';

const RENEW_EVERY_MS = SWITCHING_MS / 12;

/** The mark in the registry that protects a generation while a command makes it live. */
export interface SwitchMark {
  /** Renews the mark. @throws GenerationError if another command has taken it over */
  confirm(): Promise<void>;
  /** Removes the mark, unless another command has taken it over. */
  release(): Promise<void>;
}

/**
 * Marks the generation that is about to become live. From then on, no prune removes it, and no other command
 * switches. The mark is renewed until its release, because the preparation can take minutes. The mark of a
 * killed command expires after `SWITCHING_MS`.
 * @throws GenerationError if another command is switching, or if the generation is not ready
 */
export async function markSwitch({ client, settings, log }: CommandContext, to: number): Promise<SwitchMark> {
  const id = randomUUID();
  const update = (change: (registry: Registry) => Registry) =>
    updateRegistry(client, settings.INDEX_PREFIX, change);
  const marked = (registry: Registry): Registry => ({
    ...registry,
    switching: { id, to, at: new Date().toISOString() },
  });
  await update((registry) => {
    const { phase } = findGeneration(registry, to);
    if (phase === 'pruning')
      throw new GenerationError(`generation ${to} cannot become live, because a prune is removing it`);
    if (phase !== 'ready') throw new GenerationError(`generation ${to} is not ready; its phase is ${phase}`);
    const { switching } = registry;
    if (switching && isSwitching(registry, Date.now()))
      throw new GenerationError(
        `another process is making generation ${switching.to} live. Run status to see the result. If that ` +
          `process was killed, repeat the command after ${SWITCHING_MS / 1_000} seconds`,
      );
    return marked(registry);
  });
  const confirm = async () => {
    await update((registry) => {
      if (registry.switching?.id === id) return marked(registry);
      throw new GenerationError(
        `this process paused for longer than ${SWITCHING_MS / 1_000} seconds, and lost its mark on generation ` +
          `${to} to another command. Nothing was switched. Run status, and repeat the command if necessary`,
      );
    });
  };
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = confirm().catch((error: unknown) => log.debug({ err: error }, 'could not renew the mark'));
  }, RENEW_EVERY_MS);
  return {
    confirm,
    async release() {
      clearInterval(timer);
      await renewal;
      await update((registry) => {
        const { switching, ...rest } = registry;
        return switching?.id === id ? rest : registry;
      });
    },
  };
}
