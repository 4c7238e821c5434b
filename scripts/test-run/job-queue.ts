import type { Lane } from './suites.ts';

export interface Job {
  lane: Lane;
  /** Whether the job needs the engines of the run. */
  needsEngines: boolean;
  run(): Promise<void>;
}

/**
 * Runs jobs in order, up to `atATime` of them concurrently. While a job cannot start, later jobs start first.
 * A job cannot start while it needs engines that are not ready, or while it has its own engines and another
 * such job runs. Jobs that must run alone come last, one after the other.
 * @param enginesReady resolves when the engines are ready. If it rejects, the function throws the error after
 *   the jobs that need no engines.
 * @returns the jobs that did not start because the signal aborted
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
