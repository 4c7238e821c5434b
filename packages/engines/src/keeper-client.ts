import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { EnginesError } from './engine-control.ts';
import { sweepInstance } from './instance-folder.ts';
import type { KeeperMessage, KeeperRequest, Launch } from './keeper-protocol.ts';

const KEEPER = fileURLToPath(new URL('./keeper.ts', import.meta.url));

/** A program that the keeper runs. */
export interface KeptProcess {
  /** The process id and process group id. */
  readonly pid: number;
  /** Resolves with a description of how it ended. */
  readonly exited: Promise<string>;
}

type Unnumbered<Request> = Request extends unknown ? Omit<Request, 'id'> : never;
interface Answer {
  readonly started: KeptProcess | undefined;
  readonly error: string | undefined;
}

/** The parent's side of the keeper process. It keeps the parent's event loop alive only while a request is pending. */
export class Keeper {
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<void>;
  readonly #open = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  readonly #exits = new Map<number, (how: string) => void>();
  #ended: Promise<void> | undefined;
  #requests = 0;
  #holds = 0;
  #errors = '';
  #gone = false;

  private constructor(folder: string) {
    this.folder = folder;
    const { NODE_OPTIONS: _, ...env } = process.env; // the parent's --inspect must not apply to the keeper
    this.#child = fork(KEEPER, [folder], { cwd: '/', detached: true, env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref();
    this.#exit = new Promise((resolve) => {
      this.#child.once('exit', () => resolve(this.#lost()));
    });
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** Starts a keeper, which creates the folder. */
  static async open(folder: string): Promise<Keeper> {
    const keeper = new Keeper(folder);
    const ready = Promise.withResolvers<void>();
    keeper.#child.on('message', (message: KeeperMessage) => {
      if (message.tell === 'ready') ready.resolve();
      else keeper.#hear(message);
    });
    keeper.#child.once('error', ready.reject);
    void keeper.#exit.then(() => ready.reject(keeper.#lostError()));
    await keeper.#hold(ready.promise);
    return keeper;
  }

  /** Runs a program until it exits or is stopped. */
  async start(launch: Launch): Promise<KeptProcess> {
    const { started } = await this.#ask({ ask: 'start', launch });
    if (started === undefined) throw new EnginesError(`${launch.command} was started without a process id.`);
    return started;
  }

  /** Runs a program to completion and resolves with a description of how it ended. */
  async run(launch: Launch): Promise<string> {
    const { exited } = await this.start(launch);
    return this.#hold(exited);
  }

  /** Stops a program with SIGTERM, and with SIGKILL after `graceMs` (0: immediately). Resolves when it is gone. */
  async stop(pid: number, graceMs: number): Promise<void> {
    if (!this.#gone) await this.#ask({ ask: 'stop', pid, graceMs });
  }

  /** Stops all programs, deletes the folder, and resolves when the keeper is gone. */
  end(): Promise<void> {
    this.#ended ??= (async () => {
      if (!this.#gone) this.#child.send({ id: 0, ask: 'end' } satisfies KeeperRequest, () => {});
      await this.#hold(this.#exit);
      // Only a killed keeper leaves work here.
      await sweepInstance(this.folder);
    })();
    return this.#ended;
  }

  async #ask(request: Unnumbered<KeeperRequest>): Promise<Answer> {
    if (this.#gone) throw this.#lostError();
    this.#requests += 1;
    const id = this.#requests;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#open.set(id, { resolve, reject });
    this.#child.send({ ...request, id }, (error) => {
      if (error !== null) reject(this.#lostError(error));
    });
    const answer = await this.#hold(promise).finally(() => this.#open.delete(id));
    if (answer.error !== undefined) throw new EnginesError(answer.error);
    return answer;
  }

  #hear(message: Exclude<KeeperMessage, { tell: 'ready' }>): void {
    if (message.tell === 'exited') {
      this.#exits.get(message.pid)?.(message.how);
      this.#exits.delete(message.pid);
      return;
    }
    const { id, pid, error } = message;
    this.#open.get(id)?.resolve({ started: pid === undefined ? undefined : this.#watch(pid), error });
  }

  #watch(pid: number): KeptProcess {
    const { promise: exited, resolve } = Promise.withResolvers<string>();
    this.#exits.set(pid, resolve);
    return { pid, exited };
  }

  /** Stops the engines of a killed keeper, so their users notice. */
  async #lost(): Promise<void> {
    this.#gone = true;
    for (const { reject } of this.#open.values()) reject(this.#lostError());
    // After a failure, the next start repeats the cleanup.
    if (this.#ended === undefined) await sweepInstance(this.folder).catch(() => undefined);
    for (const resolve of this.#exits.values()) resolve('its keeper ended');
    this.#exits.clear();
  }

  #lostError(cause?: Error): EnginesError {
    return new EnginesError(`The process that keeps the engines has ended. ${this.#errors}`.trim(), { cause });
  }

  async #hold<T>(promise: Promise<T>): Promise<T> {
    this.#holds += 1;
    this.#child.ref();
    this.#child.channel?.ref();
    try {
      return await promise;
    } finally {
      this.#holds -= 1;
      if (this.#holds === 0) {
        this.#child.unref();
        this.#child.channel?.unref();
      }
    }
  }
}
