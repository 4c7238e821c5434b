import { endedSelfCheck, type SelfCheckRun, startedSelfCheck } from '@vitrine/feed-index';
import { readRegistry, readRoles, updateRegistry } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import type { CompareProgress } from './compare-generations.ts';
import { type SelfCheck, type SelfCheckOptions, selfCheck } from './self-check.ts';

/** Every projector reads the registry once per second, so an error must not make it large. */
const ERROR_CHARACTERS = 500;

/**
 * Runs `selfCheck`. If it checks the live generation, stores the result in the registry, from which the
 * projectors export it as metrics (docs/decisions/0077). An interrupted run stores no result.
 * @throws the errors from `selfCheck`; ElasticsearchClientError
 */
export async function recordedSelfCheck(
  context: CommandContext,
  options: SelfCheckOptions,
  onProgress: (progress: CompareProgress) => void,
): Promise<SelfCheck> {
  const { client, settings, signal, log } = context;
  const prefix = settings.INDEX_PREFIX;
  const [registry, { live }] = await Promise.all([readRegistry(client, prefix), readRoles(client, prefix)]);
  if (!registry || live === undefined || (options.generation ?? live) !== live)
    return selfCheck(context, options, onProgress);
  await updateRegistry(client, prefix, (now) =>
    now.self_check ? now : { ...now, self_check: startedSelfCheck(undefined, new Date().toISOString()) },
  );
  const record = (run: Omit<SelfCheckRun, 'generation' | 'at'>) => {
    const last = { generation: live, at: new Date().toISOString(), ...run };
    return updateRegistry(client, prefix, (now) => ({
      ...now,
      self_check: endedSelfCheck(now.self_check, last),
    }));
  };
  let check: SelfCheck;
  try {
    // A switch during the run must not change the generation that the run checks.
    check = await selfCheck(context, { ...options, generation: live }, onProgress);
  } catch (error) {
    if (!signal.aborted)
      await record({
        outcome: 'failed',
        repaired: 0,
        unrepaired: 0,
        error: String(error).slice(0, ERROR_CHARACTERS).toWellFormed(),
      }).catch((failure: unknown) => log.warn({ err: failure }, 'could not record the failed verification'));
    throw error;
  }
  await record(runOf(check));
  return check;
}

function runOf({ disagreements }: SelfCheck): Pick<SelfCheckRun, 'outcome' | 'repaired' | 'unrepaired'> {
  const repaired = disagreements.filter((one) => one.repaired).length;
  const unrepaired = disagreements.length - repaired;
  const outcome = unrepaired > 0 ? 'unrepaired' : repaired > 0 ? 'repaired' : 'clean';
  return { outcome, repaired, unrepaired };
}
