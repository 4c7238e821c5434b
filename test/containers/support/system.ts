import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@vitrine/engines/testing';
import { eventually } from '../../support/service-process.ts';
import { projectOf, removeProject, runCompose } from './compose.ts';
import { type Inspected, inspect, type Ran } from './docker.ts';

/**
 * How long a container may take to become healthy. A busy machine can take 4 minutes to start Elasticsearch.
 */
const HEALTHY_WITHIN_MS = 8 * 60_000;

/** The services that run all the time. */
export const ENGINES = ['kafka', 'elasticsearch'] as const;
export const SERVICES = ['projector', 'query'] as const;

/** The memory limit of the query service, in MiB (docs/operate/deployment.md#memory-of-a-query-pod). */
export const queryMib = (processes: number): number => 384 + 384 * processes;
/** The day of the calendars in the expected feed. */
const TODAY = '2026-12-01';

/** The system of compose.yaml, with its own project name and ports. */
export class System {
  readonly project: string;
  readonly #ports: Record<string, number>;
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;

  private constructor(project: string, ports: Record<string, number>, folder: string) {
    this.project = project;
    this.#ports = ports;
    this.#folder = folder;
    this.#env = {
      ...process.env,
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
    };
  }

  /** Chooses the ports, and starts nothing. The images must exist. */
  static async create(): Promise<System> {
    const names = ['FEED', 'QUERY_ADMIN', 'PROJECTOR_ADMIN', 'KAFKA', 'ELASTICSEARCH'];
    const ports = await freePorts(names.length);
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-containers-'));
    await writeFile(
      join(folder, 'override.yaml'),
      `services: {query: {environment: {FEED_TODAY: '${TODAY}'}}}\n`,
    );
    return new System(
      projectOf(Number(process.env['VITRINE_CONTAINERS_PID'] ?? process.pid)),
      Object.fromEntries(names.map((name, i) => [`${name}_PORT`, ports[i] ?? 0])),
      folder,
    );
  }

  #port = (name: string): number => this.#ports[`${name}_PORT`] ?? 0;

  get feedUrl(): string {
    return `http://127.0.0.1:${this.#port('FEED')}/api`;
  }
  /** The scheme, host and port at which a service reports its health and metrics. */
  adminOf(service: (typeof SERVICES)[number]): string {
    return `http://127.0.0.1:${this.#port(service === 'query' ? 'QUERY_ADMIN' : 'PROJECTOR_ADMIN')}`;
  }
  get broker(): string {
    return `localhost:${this.#port('KAFKA')}`;
  }

  /** Sets the number of query processes and their memory for the next `up`. */
  setProcesses(count: number): void {
    this.#env['PROCESSES'] = String(count);
    this.#env['QUERY_MEMORY'] = `${queryMib(count)}m`;
  }

  /** Runs a Compose command. */
  compose(...args: string[]): Promise<Ran> {
    return this.composeWith('', ...args);
  }

  /** Runs a Compose command that reads `input`. */
  composeWith(input: string, ...args: string[]): Promise<Ran> {
    const files = ['--file', 'compose.yaml', '--file', join(this.#folder, 'override.yaml')];
    return runCompose(['--project-name', this.project, ...files, ...args], this.#env, { input });
  }

  /** Runs a Compose command. @throws if it fails */
  async require(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.compose(...args);
    if (code !== 0) throw new Error(`compose ${args.join(' ')} ended with ${code}:\n${stderr.slice(-4_000)}`);
    return stdout;
  }

  /** Starts everything that is not running yet, and waits until it is healthy. */
  async up(...profiles: string[]): Promise<void> {
    await this.require(...profiles.flatMap((name) => ['--profile', name]), 'up', '--detach', '--no-build');
    for (const service of SERVICES) await this.untilHealthy(service);
  }

  /** Stops and removes the containers, but not the data. */
  async down(): Promise<void> {
    await this.require('--profile', '*', 'down');
  }

  /** Removes everything that this system has created. */
  async remove(): Promise<void> {
    await removeProject(this.project);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async idOf(service: string): Promise<string> {
    const [id] = (await this.require('--profile', '*', 'ps', '--all', '--quiet', service)).split('\n');
    if (!id) throw new Error(`${service} has no container`);
    return id;
  }

  async inspect(service: string): Promise<Inspected> {
    return inspect(await this.idOf(service));
  }

  async untilHealthy(service: string): Promise<void> {
    await eventually(
      `${service} is healthy`,
      async () => (await this.inspect(service)).State.Health?.Status === 'healthy',
      HEALTHY_WITHIN_MS,
      1_000,
    );
  }

  /** The last lines of a service's log. */
  async logOf(service: string): Promise<string> {
    return this.require('--profile', '*', 'logs', '--no-color', '--tail', '40', service);
  }
}
