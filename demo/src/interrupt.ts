/** The person at the terminal wants to stop: no failure. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** npm passes the terminal's Ctrl-C on, so that one key press arrives twice. */
const ONE_KEY_PRESS_MS = 400;
const EXIT_AT_ONCE = 130;

/** The first signal ends in order, by way of `ending`; the next one ends the process at once. */
export function endOnSignals(ending: AbortController): void {
  let firstAt: number | undefined;
  const hear = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      ending.abort(new Interrupted(signal));
    } else if (performance.now() - firstAt > ONE_KEY_PRESS_MS) {
      process.exit(EXIT_AT_ONCE);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear);
}
