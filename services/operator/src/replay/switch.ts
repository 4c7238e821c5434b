import {
  findGeneration,
  GenerationError,
  generationNames,
  newestReadyBeside,
  type Registry,
} from '@vitrine/feed-index';
import { readOffsets } from '@vitrine/kafka';
import {
  checkIndices,
  type EpochMove,
  groupOf,
  moveAliases,
  type Roles,
  readLiveChanges,
  readRoles,
} from '@vitrine/projection/generations';
import { refresh } from '@vitrine/projection/store';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { deleteExpiredChanges } from './changes-upkeep.ts';
import { recordsBehind } from './consumer-group.ts';
import { completeLastHandover } from './handover.ts';
import { openEpoch } from './open-epoch.ts';
import { markSwitch } from './switch-mark.ts';

export interface SwitchOptions {
  /** Maximum number of differing items. */
  allowedDifferences: number;
  /** Whether to ignore differences that the rules explain. */
  allowExplained: boolean;
  /** Maximum age of the verification result in milliseconds. */
  maxVerificationAge: number;
}

export interface Switched {
  /** Absent if no generation was live, because the indices were lost, or if `to` was already live. */
  from?: number;
  to: number;
}

/**
 * Maximum number of records by which a generation may be further behind the topic than the live generation.
 * With a larger difference, readers would see outdated items.
 */
const MAX_BEHIND = 1_000;

/**
 * Makes a verified generation live. If it is already live, completes the switch to it.
 * @param to undefined for the newest ready generation that is not live
 * @throws GenerationError if the verification result is missing, too old or has too many differences, or if
 * the generation is too far behind
 */
export async function switchTo(
  context: CommandContext,
  to: number | undefined,
  options: SwitchOptions,
): Promise<Switched> {
  const { registry, roles, live } = await current(context);
  const number = to ?? newestReadyBeside(registry, live);
  if (number === live) return complete(context, registry, live);
  // If no generation is live, readers see nothing, and there is nothing to compare with.
  if (live === undefined) return move(context, 'switch', registry, roles, number);
  const { verification } = findGeneration(registry, number);
  if (!verification)
    throw new GenerationError(`generation ${number} has no verification result. Run verify ${number}`);
  if (verification.against !== live)
    throw new GenerationError(
      `generation ${number} was compared with generation ${verification.against}, but generation ${live} ` +
        `is live now. Run verify ${number}`,
    );
  if (Date.now() - Date.parse(verification.at) > options.maxVerificationAge)
    throw new GenerationError(
      `the verification result of generation ${number} is too old (${verification.at}). Run verify ${number}`,
    );
  const differences = verification.unexplained + (options.allowExplained ? 0 : verification.explained);
  if (differences > options.allowedDifferences) {
    const isAllowable = verification.unexplained <= options.allowedDifferences && !options.allowExplained;
    throw new GenerationError(
      `generation ${number} differs from generation ${live} in ` +
        `${verification.explained + verification.unexplained} of ${verification.compared} items ` +
        `(${verification.explained} explained by the rules, ${verification.unexplained} not). The limit is ` +
        `${options.allowedDifferences}${isAllowable ? '. Use --allow-explained or --allow-diff' : ''}`,
    );
  }
  return move(context, 'switch', registry, roles, number);
}

/**
 * Makes the previous generation live again. If `to` is already live, completes the switch to it.
 * @param to undefined for the previous generation, whichever it is
 * @throws GenerationError if there is no previous generation, or if it is not `to`
 */
export async function rollback(context: CommandContext, to?: number): Promise<Switched> {
  const { registry, roles, live } = await current(context);
  if (to !== undefined && to === live) return complete(context, registry, live);
  if (roles.previous === undefined)
    throw new GenerationError(
      'no previous generation exists, because it was pruned or no switch has happened yet',
    );
  if (to !== undefined && to !== roles.previous)
    throw new GenerationError(`generation ${to} is not the previous generation, which is ${roles.previous}`);
  return move(context, 'rollback', registry, roles, roles.previous);
}

async function move(
  context: CommandContext,
  command: 'switch' | 'rollback',
  registry: Registry,
  { live: from, previous }: Roles,
  to: number,
): Promise<Switched> {
  const { client, settings } = context;
  const prefix = settings.INDEX_PREFIX;
  // The preparation can take minutes. The mark comes before it, so that no prune removes what it prepares.
  const mark = await markSwitch(context, to);
  let epochs: EpochMove;
  try {
    epochs = await prepareMove(context, registry, from, to);
    // The first search after the switch must already see the latest writes.
    await refresh(client, generationNames(prefix, to).items);
    await mark.confirm();
  } catch (error) {
    // A mark that cannot be removed expires.
    await mark.release().catch(() => undefined);
    throw error;
  }
  try {
    try {
      await moveAliases(client, prefix, from, to, previous, epochs);
    } finally {
      await mark.release();
    }
  } catch (error) {
    if (error instanceof GenerationError) throw error;
    throw incomplete(
      context,
      error,
      `Generation ${to} may be live already. Run ${command} ${to} to complete the ${command}`,
    );
  }
  await complete(context, registry, to);
  return { ...(from !== undefined && { from }), to };
}

/**
 * Checks that a generation can become live, and prepares its epoch of the changes.
 * @throws GenerationError if its indices are missing or too far behind
 */
async function prepareMove(
  context: CommandContext,
  registry: Registry,
  from: number | undefined,
  to: number,
): Promise<EpochMove> {
  const { client, settings, log } = context;
  const { versions, index_ids } = findGeneration(registry, to);
  const names = generationNames(settings.INDEX_PREFIX, to);
  const { notes } = await checkIndices(client, names, versions, index_ids);
  for (const note of notes) log.warn(note);
  const [behind, liveBehind] = await Promise.all([
    behindBy(context, to),
    from === undefined ? 0 : behindBy(context, from),
  ]);
  if (behind > liveBehind + MAX_BEHIND)
    throw new GenerationError(
      `generation ${to} is ${behind} records behind the topic; the live generation is ${liveBehind} ` +
        `records behind. Check that a projector for generation ${to} is running`,
    );
  // A broken index of an earlier generation must not prevent a rollback.
  await completeLastHandover(context).catch((error: unknown) =>
    log.warn(
      { err: error },
      'followers that are behind may miss the last changes before the previous switch',
    ),
  );
  return openEpoch(context, registry, to);
}

/**
 * Does the work that follows the move of the aliases. Repeating it changes nothing, so an operator can repeat
 * a command that failed after the move.
 * @throws GenerationError if the changes of another generation are live
 */
async function complete(context: CommandContext, registry: Registry, live: number): Promise<Switched> {
  const { client, settings } = context;
  const { versions } = findGeneration(registry, live);
  try {
    const epoch = await readLiveChanges(client, settings.INDEX_PREFIX);
    if (versions.changes !== undefined && epoch?.generation !== live)
      throw new GenerationError(
        `/changes does not serve generation ${live}, because another process or an earlier release has moved ` +
          `the aliases. Run status. If generation ${live} is live, run rollback, verify ${live} and ` +
          `switch ${live}`,
      );
    await completeLastHandover(context);
    await deleteExpiredChanges(context);
  } catch (error) {
    if (error instanceof GenerationError) throw error;
    throw incomplete(
      context,
      error,
      `Generation ${live} is live, but the switch is not complete: followers that are behind may miss the last ` +
        `changes before it. Run switch ${live} to complete it`,
    );
  }
  return { to: live };
}

/** The error of a switch that another command has to complete. */
function incomplete({ signal, log }: CommandContext, cause: unknown, advice: string): Error {
  // After Ctrl-C, the command prints nothing but the interruption.
  if (signal.aborted) log.warn(advice);
  return new Error(`${(cause as Error).message}. ${advice}`, { cause });
}

async function current(
  context: CommandContext,
): Promise<{ registry: Registry; roles: Roles; live: number | undefined }> {
  const [registry, roles] = await Promise.all([
    readExistingRegistry(context),
    readRoles(context.client, context.settings.INDEX_PREFIX),
  ]);
  return { registry, roles, live: roles.live };
}

async function behindBy({ admin, settings }: CommandContext, number: number): Promise<number> {
  return recordsBehind(
    await readOffsets(admin, groupOf(settings.CONSUMER_GROUP, number), settings.LISTING_EVENTS_TOPIC),
  );
}
