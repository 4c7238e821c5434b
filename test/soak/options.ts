import { randomInt } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { operatorPath } from '@vitrine/runtime/operator-path';

export const HELP = `npm run soak -- [--minutes N] [--seed S] [--rate R] [--json] [--out FILE]

Runs a living market with clients against real engines and services while faults occur, and compares
everything at the end. docs/operate/soak.md explains the faults and the rules.
--minutes N   length of the load, 0.5 to 1440; 20 by default. A run of 20 minutes contains every fault.
--seed S      an integer from 0 to 2147483647; random by default. It determines faults, events and requests.
--rate R      events per second, 1 to 1000; 100 by default
--json        prints the report as one JSON document; progress goes to standard error
--out FILE    file of the JSON report; by default report.json in the run's folder
Ctrl-C ends the run, and the report shows what happened until then. Press it again to end at once.
Exit codes: 0 passed, 1 failed, 2 usage error, 130 interrupted.`;

const LARGEST_SEED = 2 ** 31 - 1;

export interface CommandOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly rate: number;
  readonly json: boolean;
  /** The absolute path of the report file, which is writable. */
  readonly out: string | undefined;
  readonly help: boolean;
}

/** Reads the command's arguments. Returns the options, or the problem with the arguments. */
export function readOptions(args: readonly string[]): CommandOptions | { problem: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '20' },
        seed: { type: 'string' },
        rate: { type: 'string', default: '100' },
        json: { type: 'boolean', default: false },
        out: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const minutes = number('--minutes', values.minutes, 0.5, 1_440);
    const rate = number('--rate', values.rate, 1, 1_000);
    const seed =
      values.seed === undefined ? randomInt(LARGEST_SEED) : number('--seed', values.seed, 0, LARGEST_SEED);
    if (!Number.isInteger(seed)) return { problem: '--seed must be an integer.' };
    const { json, help } = values;
    return {
      minutes,
      rate,
      seed,
      json,
      help,
      out: values.out === undefined ? undefined : writable(values.out),
    };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Creates the file, because a run must not end without its report. @throws Error */
function writable(path: string): string {
  const file = operatorPath(process.env, path);
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new Error(`--out cannot be written: ${(error as Error).message}`);
  }
  return file;
}

function number(name: string, text: string, low: number, high: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= low && value <= high))
    throw new RangeError(`${name} must be a number from ${low} to ${high}.`);
  return value;
}
