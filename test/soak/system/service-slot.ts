import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startService } from '../../support/service-process.ts';
import type { Exit } from '../plan/windows.ts';

const READY_EVERY_MS = 250;
const READY_TIMEOUT_MS = 2_000;
/** Kubernetes waits longer after repeated crashes; the soak does not, so that it sees more starts. */
const RESTART_DELAY_MS = 1_000;

export interface SlotOptions {
  readonly script: 'projector' | 'ingest' | 'query';
  readonly number: number;
  readonly env: Readonly<Record<string, string>>;
  /** The port is fixed, so that clients find a new process at the same address. */
  readonly adminPort: number;
  /** The file to which the output of all its processes is appended. */
  readonly logFile: string;
  /** Called when a process ends and this class did not end it. */
  readonly onUnexpectedExit: (exit: Exit, what: string) => void;
}

/** A service that is always running: a new process replaces each one that ends, as in Kubernetes. */
export class ServiceSlot {
  readonly name: string;
  readonly number: number;
  readonly #options: SlotOptions;
  readonly #log: WriteStream;
  #process: ServiceProcess | undefined;
  #isWanted = true;
  #isHeld = false;
  #ends = false;
  #isReady = false;
  #supervision: Promise<void>;

  constructor(options: SlotOptions) {
    this.#options = options;
    this.number = options.number;
    this.name = `${options.script} ${options.number}`;
    this.#log = createWriteStream(options.logFile, { flags: 'a' });
    this.#supervision = this.#supervise();
  }

  /** Whether its process has become ready since its start. A suspended service stays ready. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get pid(): number | undefined {
    const { child, pid } = this.#process ?? {};
    return child?.exitCode === null && child.signalCode === null ? pid : undefined;
  }

  /** Sends a signal to the process, for example SIGSTOP. */
  signal(name: NodeJS.Signals): void {
    this.#process?.child.kill(name);
  }

  /** Ends the process. A new process starts after `downMs`. */
  async end(name: 'SIGKILL' | 'SIGTERM', downMs = 0): Promise<void> {
    this.#isHeld = true;
    this.#ends = true;
    this.#isReady = false;
    await this.#process?.end(name);
    await sleep(downMs);
    this.#isHeld = false;
  }

  /** Waits until the process is ready. @throws Error after `withinMs` */
  async becomesReady(withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    for (; ; await sleep(READY_EVERY_MS)) {
      if (await this.#asksReady()) {
        this.#isReady = true;
        return;
      }
      if (Date.now() > deadline) throw new Error(`${this.name} is not ready after ${withinMs} ms`);
    }
  }

  /** Stops the service for good. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    this.#isReady = false;
    this.signal('SIGCONT');
    await this.#process?.stop();
    await this.#supervision;
    this.#log.end();
  }

  async #supervise(): Promise<void> {
    const { script, number, env, adminPort, onUnexpectedExit } = this.#options;
    while (this.#isWanted) {
      this.#ends = false;
      this.#process = startService(script, { ...env, ADMIN_PORT: String(adminPort) });
      const { child, pid, exited } = this.#process;
      this.#log.write(`# ${new Date().toISOString()} process ${pid} starts\n`);
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => this.#log.write(chunk));
      const code = await exited;
      this.#isReady = false;
      this.#log.write(`# ${new Date().toISOString()} process ${pid} ended with ${code ?? 'a signal'}\n`);
      if (!this.#ends && this.#isWanted) {
        const said = this.#process.log().trim().split('\n').at(-1) ?? '';
        const what = `${this.name} ended with ${code ?? child.signalCode}: ${said.slice(0, 400)}`;
        onUnexpectedExit({ of: script, number, code }, what);
        await sleep(RESTART_DELAY_MS);
      }
      while (this.#isHeld && this.#isWanted) await sleep(READY_EVERY_MS);
      if (this.#isWanted && !this.#ends) void this.becomesReady(120_000).catch(() => undefined);
    }
  }

  async #asksReady(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
      const response = await fetch(`http://127.0.0.1:${this.#options.adminPort}/health/ready`, { signal });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }
}
