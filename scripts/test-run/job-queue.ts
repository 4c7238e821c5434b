import type { Lane } from './suites.ts';

export interface Job {
  lane: Lane;
  /** Whether the job needs the engines of the run. */
  needsEngines: boolean;
  run(): Promise<void>;
}

/**
 * Runs jobs in their order, `atATime` of them at a time. A job that cannot start yet lets later jobs start
 * first. A job cannot start if it needs the engines before they are ready, or if it has its own engines while
 * another such job runs. Jobs that run alone come last, one after another.
 * @param enginesReady resolves when the engines can be used. A rejection is thrown after the jobs that need
 * none.
 * @returns the jobs that an abort of the signal left out
 */
export async function runJobs(
  jobs: readonly Job[],
  atATime: number,
  enginesReady: Promise<void>,
  signal: AbortSignal,
): Promise<Job[]> {
  const waiting = jobs.filter(({ lane }) => lane !== 'alone');
  let ready = false;
  let failure: unknown;
  const engines = enginesReady.then(
    () => (ready = true),
    (error: unknown) => (failure = error),
  );
  const running = new Map<Job, Promise<void>>();
  const mayStart = ({ lane, needsEngines }: Job) =>
    (ready || !needsEngines) &&
    (lane !== 'own engines' || ![...running.keys()].some((other) => other.lane === lane));

  while (waiting.length > 0 && !signal.aborted) {
    const next = running.size < atATime ? waiting.find(mayStart) : undefined;
    if (next !== undefined) {
      waiting.splice(waiting.indexOf(next), 1);
      running.set(
        next,
        next.run().finally(() => running.delete(next)),
      );
    } else if (running.size > 0)
      await Promise.race([...running.values(), ...(ready || failure ? [] : [engines])]);
    else {
      await engines;
      if (failure !== undefined) break;
    }
  }
  await Promise.all(running.values());
  if (failure !== undefined) throw failure;

  const alone = jobs.filter(({ lane }) => lane === 'alone');
  while (alone.length > 0 && !signal.aborted) await alone.shift()?.run();
  return [...waiting, ...alone];
}
