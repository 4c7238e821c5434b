import { Listr } from 'listr2';

/** What a step says while it is busy. */
interface StepReport {
  /** Something happened. */
  line(text: string): void;
  /** How far it is: said often, worth seeing now and then. */
  progress(text: string): void;
}

/** A part of the start that takes its time. */
export interface Step {
  title: string;
  /** Resolves with the title that it has from then on. */
  run(report: StepReport): Promise<string>;
}

/** Where nothing is rewritten in place, a line a second is enough. */
const PLAIN_PROGRESS_EVERY_MS = 1_000;

/** Runs them one after the other and shows how far each is; the first failure is the last step's. */
export async function runSteps(steps: readonly Step[], onTerminal: boolean): Promise<void> {
  const tasks = new Listr(
    steps.map(({ title, run }) => ({
      title,
      task: async (_, task) => {
        const line = (text: string) => {
          task.output = text;
        };
        task.title = await run({ line, progress: onTerminal ? line : sparsely(line) });
      },
    })),
    {
      // Signals are the session's, which stops what the steps have started.
      registerSignalListeners: false,
      rendererOptions: { showErrorMessage: false, collapseErrors: false },
      fallbackRenderer: 'simple',
      fallbackRendererCondition: !onTerminal,
    },
  );
  await tasks.run();
}

/** Passes on what is new, and not too often. */
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
