import { Listr } from 'listr2';
import type { Screen } from './screen.ts';

/** Functions with which a step reports while it runs. */
interface StepReport {
  /** Reports an event as a line that stays. */
  line(text: string): void;
  /** Reports progress. A step may call this function often. */
  progress(text: string): void;
}

/** A part of the start that takes a noticeable time. */
export interface Step {
  title: string;
  /** Resolves with the title of the completed step. */
  run(report: StepReport): Promise<string>;
}

const PLAIN_PROGRESS_EVERY_MS = 1_000;

/**
 * Runs the steps one after the other, and shows their progress. Rejects with the error of the first step that
 * fails.
 */
export function runSteps(steps: readonly Step[], screen: Pick<Screen, 'rewrites' | 'line'>): Promise<void> {
  return screen.rewrites ? rewriteSteps(steps) : listSteps(steps, (text) => screen.line(text));
}

async function rewriteSteps(steps: readonly Step[]): Promise<void> {
  const tasks = new Listr(
    steps.map(({ title, run }) => ({
      title,
      task: async (_, task) => {
        const line = (text: string) => {
          task.output = text;
        };
        task.title = await run({ line, progress: line });
      },
    })),
    {
      // The session handles signals, because it stops everything that the steps started.
      registerSignalListeners: false,
      rendererOptions: { showErrorMessage: false, collapseErrors: false },
    },
  );
  await tasks.run();
}

/** Plain lines. The caller reports a failed step's error. */
async function listSteps(steps: readonly Step[], write: (line: string) => void): Promise<void> {
  const line = (text: string): void => write(`  ${text}`);
  for (const { title, run } of steps) {
    write(`${title} …`);
    try {
      write(`✔ ${await run({ line, progress: sparsely(line) })}`);
    } catch (error) {
      write(`✖ ${title}`);
      throw error;
    }
  }
}

/** Reports progress only if it has changed, and at most once per second. */
function sparsely(line: (text: string) => void): (text: string) => void {
  let last = '';
  let saidAt = performance.now();
  return (text) => {
    if (text === last || performance.now() - saidAt < PLAIN_PROGRESS_EVERY_MS) return;
    last = text;
    saidAt = performance.now();
    line(text);
  };
}
