import type { ChildProcess } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProcessSupervisor, startTimeOf } from '@vitrine/runtime/processes';
import { eventually } from './service-process.ts';

/**
 * A command must not outlive the test process. Its processes must not end with their leader, because tests
 * count these processes.
 */
const supervisor = new ProcessSupervisor();
const MARKER = 'VITRINE_TEST_RUN';
const SCRIPT = '/usr/bin/script';

/** Whether this machine can run commands in their own pseudo-terminal. */
export const hasTerminals = existsSync(SCRIPT);

export interface CommandOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the command in a new pseudo-terminal. */
  readonly terminal?: boolean;
}

export interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * A command of the project and all processes that it starts, which a marker in their environment identifies.
 * Linux only.
 */
export class CommandRun {
  readonly child: ChildProcess;
  /** The exit code. After a signal, it is 128 plus the number of the signal, as in a shell. */
  readonly exited: Promise<number>;
  readonly #marker = randomUUID();
  /** The ids of all processes that any poll of the process table has found. */
  readonly #seen = new Set<number>();
  #output = '';

  constructor(command: readonly [string, ...string[]], { cwd, env, terminal = false }: CommandOptions) {
    const [program, ...args] = terminal
      ? ([SCRIPT, '-qec', `stty cols 150 rows 50; exec ${command.join(' ')}`, '/dev/null'] as const)
      : command;
    // The command leads a session, so a signal to its group reaches the same processes as Ctrl-C in a
    // terminal.
    const { child, exited } = supervisor.spawn(program, args, {
      cwd,
      env: { ...process.env, ...env, [MARKER]: this.#marker },
      keepsGroup: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    this.exited = exited.then(
      ({ code, signal }) => code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
    );
  }

  get output(): string {
    return this.#output;
  }

  /** Waits until the output matches. A string is a regular expression too. */
  async says(text: string | RegExp, withinMs = 120_000): Promise<void> {
    const ended = () => this.child.exitCode !== null || this.child.signalCode !== null;
    const said = () => this.#output.search(text) >= 0;
    await eventually(`"${text}"`, async () => said() || ended(), withinMs, 20).catch((error: Error) => {
      throw new Error(`${error.message}. The output:\n${this.#output}`);
    });
    if (!said()) throw new Error(`The command ended without "${text}". The output:\n${this.#output}`);
  }

  /**
   * The id of the oldest process whose command line matches. A lower id does not mean an older process,
   * because ids start again after the highest one.
   */
  async pidOf(commandLine: string | RegExp): Promise<number> {
    const find = async () =>
      this.processes()
        .filter(({ command }) => command.search(commandLine) >= 0)
        .map(({ pid }) => ({ pid, startTime: Number(startTimeOf(pid) ?? Infinity) }))
        .sort((one, other) => one.startTime - other.startTime)[0]?.pid;
    return eventually(`a process ${commandLine}`, find, 120_000);
  }

  /** The processes of this run that have not ended. */
  processes(): RunningProcess[] {
    const all = readdirSync('/proc').flatMap((entry): RunningProcess[] => {
      const command = /^\d+$/.test(entry) ? read(entry, 'cmdline').replaceAll('\0', ' ').trim() : '';
      return command === '' ? [] : [{ pid: Number(entry), command }];
    });
    const marked = all.filter(({ pid }) => read(String(pid), 'environ').includes(this.#marker));
    for (const { pid } of marked) this.#seen.add(pid);
    // Engines do not inherit the environment, but the name of their folder contains the id of the process
    // that started them.
    const engines = all.filter(({ command }) =>
      this.#seen.has(Number(/\/engines\/[0-9a-f]{6}-(\d+)-/.exec(command)?.[1])),
    );
    return [...new Map([...marked, ...engines].map((found) => [found.pid, found])).values()];
  }

  /** Waits until all processes have exited, but at most this long. @returns the processes that are left */
  async left(withinMs: number): Promise<string[]> {
    const deadline = Date.now() + withinMs;
    while (this.processes().length > 0 && Date.now() < deadline) await delay(200);
    return this.processes().map(({ pid, command }) => `${pid} ${command.slice(0, 150)}`);
  }

  /** Sends SIGINT to the command's group, like the terminal's Ctrl-C. */
  interrupt(): void {
    try {
      process.kill(-(this.child.pid ?? 0), 'SIGINT');
    } catch {
      // The command has ended.
    }
  }

  /** Kills everything that is left. */
  kill(): void {
    for (const { pid } of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has just ended.
      }
    }
  }
}

/** The contents of a file in /proc. They are empty if the process has ended or belongs to another user. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(join('/proc', pid, file), 'utf8');
  } catch {
    return '';
  }
}

/** The number of ports that a command needs for the services, the console and the marketplace's website. */
const PORTS = 6;

/**
 * The first of six adjacent ports for `npm start`, outside the range for outgoing connections. They are free
 * at the time of the call. A listener on the port before them holds the ports for this process until it
 * exits, because two test processes that only looked for free ports would find the same ones.
 */
export async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const claim = 12_000 + (PORTS + 1) * randomInt(1_140);
    const holder = await listen(claim);
    if (holder === undefined) continue;
    const free: boolean[] = [];
    for (let index = 1; index <= PORTS; index += 1) {
      const probe = await listen(claim + index);
      free.push(probe !== undefined);
      await new Promise((resolve) => (probe ? probe.close(resolve) : resolve(undefined)));
    }
    if (free.every(Boolean)) return claim + 1;
    holder.close();
  }
  throw new Error('No six adjacent ports between 12000 and 19999 are free.');
}

/** Listens on the port. @returns undefined if another process already listens on it */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(undefined));
    server.listen({ port, exclusive: true }, () => resolve(server.unref()));
  });
}
