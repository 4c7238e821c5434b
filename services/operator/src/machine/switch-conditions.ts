import {
  findGeneration,
  GenerationError,
  type GenerationRecord,
  isSwitching,
  type Registry,
  SWITCHING_MS,
} from '@vitrine/feed-index';
import type { SwitchOptions } from './state.ts';

/** @throws GenerationError if there is no previous generation, or if it is not the requested one */
export function rollbackTarget(
  requested: number | undefined,
  live: number | undefined,
  previous: number | undefined,
): number {
  if (requested !== undefined && requested === live) return live;
  if (previous === undefined)
    throw new GenerationError(
      'no previous generation exists, because it was pruned or no switch has happened yet',
    );
  if (requested !== undefined && requested !== previous)
    throw new GenerationError(`generation ${requested} is not the previous generation, which is ${previous}`);
  return previous;
}

/** @throws GenerationError if the verification result is missing, too old, or has too many differences */
export function assertVerified(
  { number, verification }: GenerationRecord,
  live: number,
  options: SwitchOptions,
  now: number,
): void {
  if (!verification)
    throw new GenerationError(`generation ${number} has no verification result. Run verify ${number}`);
  if (verification.against !== live)
    throw new GenerationError(
      `generation ${number} was compared with generation ${verification.against}, but generation ${live} ` +
        `is live now. Run verify ${number}`,
    );
  if (now - Date.parse(verification.at) > options.maxVerificationAge)
    throw new GenerationError(
      `the verification result of generation ${number} is too old (${verification.at}). Run verify ${number}`,
    );
  const differences = verification.unexplained + (options.allowExplained ? 0 : verification.explained);
  if (differences <= options.allowedDifferences) return;
  const advice =
    verification.unexplained <= options.allowedDifferences
      ? 'Use --allow-explained or --allow-diff'
      : `Read the report of verify ${number}. If you expect the differences, use --allow-diff ${differences}`;
  throw new GenerationError(
    `generation ${number} differs from generation ${live} in ` +
      `${verification.explained + verification.unexplained} of ${verification.compared} items ` +
      `(${verification.explained} explained by the rules, ${verification.unexplained} not). The limit is ` +
      `${options.allowedDifferences}. ${advice}`,
  );
}

/**
 * The registry with the mark of a generation that is about to become live. From then on, no prune removes
 * this generation, and no other command switches. The mark of a killed command expires after `SWITCHING_MS`.
 * @throws GenerationError if another command is switching, or if the generation is not ready
 */
export function marked(registry: Registry, to: number, id: string, now: number): Registry {
  const { phase } = findGeneration(registry, to);
  if (phase === 'pruning')
    throw new GenerationError(`generation ${to} cannot become live, because a prune is removing it`);
  if (phase !== 'ready') throw new GenerationError(`generation ${to} is not ready; its phase is ${phase}`);
  const { switching } = registry;
  if (switching && isSwitching(registry, now))
    throw new GenerationError(
      `another process is making generation ${switching.to} live. Run status to see the result. If that ` +
        `process was killed, run its command again after ${SWITCHING_MS / 1_000} seconds, with the number ` +
        `${switching.to}`,
    );
  return { ...registry, switching: { id, to, at: new Date(now).toISOString() } };
}

/** The registry with a renewed mark. @throws GenerationError if another command has taken the mark over */
export function renewed(registry: Registry, to: number, id: string, now: number): Registry {
  if (registry.switching?.id === id)
    return { ...registry, switching: { id, to, at: new Date(now).toISOString() } };
  throw new GenerationError(
    `this process paused for longer than ${SWITCHING_MS / 1_000} seconds, and lost its mark on generation ` +
      `${to} to another command. Nothing was switched. Run status, and repeat the command if necessary`,
  );
}

/** The registry without the mark, unless another command has taken it over. */
export function released(registry: Registry, id: string): Registry {
  const { switching, ...rest } = registry;
  return switching?.id === id ? rest : registry;
}
