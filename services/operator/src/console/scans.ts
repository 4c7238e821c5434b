import { EXIT, jsonError } from '../exit-code.ts';
import {
  type CommandResult,
  ProgressReport,
  type ReportedProgress,
  type RunCommand,
} from './command-runs.ts';

/** A reading command that scans a topic or an index. */
export interface RunningScan {
  argv: readonly string[];
  startedAt: string;
  progress?: ReportedProgress;
  /** The number of scans that are waiting for this one. */
  waiting: number;
}

interface Scan {
  argv: readonly string[];
  readers: number;
  cancel: AbortController;
  progress: ProgressReport;
  startedAt: number;
  result: Promise<CommandResult>;
}

const MAX_WAITING = 8;
const INTERRUPTED: CommandResult = {
  code: EXIT.interrupted,
  stdout: jsonError({ kind: 'interrupted', message: 'interrupted' }),
};

/** Too many scans are already waiting. */
export class TooManyScansError extends Error {
  override readonly name = 'TooManyScansError';
}

/**
 * Runs the scans for all browsers. Only one scan of each command runs at a time, because each one reads a
 * whole topic. A hung Elasticsearch thus delays no scan that needs only Kafka. Equal requests share a scan. A
 * scan without readers ends.
 */
export class Scans {
  readonly #run: RunCommand;
  readonly #scans = new Map<string, Scan>();
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #current = new Set<Scan>();

  constructor(run: RunCommand) {
    this.#run = run;
  }

  /**
   * Runs a command, or joins an equal command that is running or waiting.
   * @param gone aborts when the reader no longer needs the result
   * @throws TooManyScansError
   */
  async read(argv: readonly string[], gone: AbortSignal): Promise<CommandResult> {
    const key = JSON.stringify(argv);
    const scan = this.#scans.get(key) ?? this.#start(key, argv);
    scan.readers++;
    const leave = () => {
      scan.readers--;
      if (scan.readers > 0) return;
      // A later reader must not join a cancelled scan.
      if (this.#scans.get(key) === scan) this.#scans.delete(key);
      scan.cancel.abort();
    };
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
    try {
      return await scan.result;
    } finally {
      gone.removeEventListener('abort', leave);
    }
  }

  get running(): RunningScan | undefined {
    const [scan] = this.#current;
    if (!scan) return undefined;
    const { argv, startedAt, progress } = scan;
    return {
      argv,
      startedAt: new Date(startedAt).toISOString(),
      ...(progress.latest && { progress: progress.latest }),
      waiting: this.#scans.size - this.#current.size,
    };
  }

  async close(): Promise<void> {
    for (const { cancel } of this.#scans.values()) cancel.abort();
    await Promise.all(this.#last.values());
  }

  #start(key: string, argv: readonly string[]): Scan {
    const [command = ''] = argv;
    const equal = [...this.#scans.values()].filter((scan) => scan.argv[0] === command);
    if (equal.length > MAX_WAITING)
      throw new TooManyScansError('too many scans are already waiting. Try again in a moment');
    const cancel = new AbortController();
    const progress = new ProgressReport();
    const scan: Scan = {
      argv,
      readers: 0,
      cancel,
      progress,
      startedAt: Date.now(),
      result: (this.#last.get(command) ?? Promise.resolve()).then(() => work()),
    };
    const work = async (): Promise<CommandResult> => {
      if (cancel.signal.aborted) return INTERRUPTED;
      this.#current.add(scan);
      scan.startedAt = Date.now();
      try {
        return await this.#run(argv, { signal: cancel.signal, onProgress: progress.report });
      } finally {
        this.#current.delete(scan);
        if (this.#scans.get(key) === scan) this.#scans.delete(key);
      }
    };
    this.#scans.set(key, scan);
    this.#last.set(
      command,
      scan.result.catch(() => undefined),
    );
    return scan;
  }
}
