import { spawn } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { documentedCommands } from '../../support/documented-commands.ts';
import { accessRules, PASSWORDS } from '../../support/engines.ts';
import { createEngines } from './engines.ts';
import { Kubectl, runProgram } from './kubectl.ts';
import { ALLOW, CRAWL, LOAD, PUBLISH } from './programs.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const PAGE = 'docs/operate/deployment.md';
const PLACES = ['projector', 'ingest', 'query', 'cli'] as const;
const ENGINES_WITHIN_MS = 10 * 60_000;
/** The repository and the tag of the images that the cluster can start (docs/operate/deployment.md#images). */
const IMAGES = process.env['VITRINE_CLUSTER_IMAGES'] ?? 'images.example/vitrine';
const TAG = process.env['VITRINE_CLUSTER_TAG'] ?? '1.2.0-1';
export const CLI_IMAGE = `${IMAGES}/cli:${TAG}`;

export interface Load {
  requests: number;
  /** Number of 503 responses with Retry-After. After each one, the client repeated the request. */
  refused: number;
  failed: number;
  /** The first failures. */
  failures: string[];
  /** Milliseconds from the load's beginning to the start of the last request that failed. */
  lastFailureMs: number;
}

/** A copy of infra/kubernetes with an operator's changes, its own engines, and a namespace for them. */
export class Installation {
  readonly kubectl: Kubectl;
  readonly #folder: string;
  readonly #say: (line: string) => void;

  private constructor(namespace: string, folder: string, say: (line: string) => void) {
    this.kubectl = new Kubectl(namespace);
    this.#folder = folder;
    this.#say = say;
  }

  /** Copies the manifests and changes the copy. Does not touch the cluster. */
  static async create(settings: Record<string, string>, say: (line: string) => void): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-cluster-'));
    const namespace = process.env['VITRINE_CLUSTER_NAMESPACE'] ?? `vitrine-test-${process.pid}`;
    const installation = new Installation(namespace, folder, say);
    await cp(join(ROOT, 'infra/kubernetes'), join(folder, 'infra/kubernetes'), { recursive: true });
    await installation.#changeExample(settings);
    for (const name of PLACES)
      for (const engine of ['kafka', 'elasticsearch'])
        await writeFile(join(folder, `${name}-${engine}`), PASSWORDS[`vitrine-${name}`]);
    return installation;
  }

  /** Changes the namespace, the settings and the images, as the page says. */
  async #changeExample(settings: Record<string, string>): Promise<void> {
    const example = join(this.#folder, 'infra/kubernetes/example');
    for (const file of await readdir(example, { recursive: true })) {
      if (!/\.(yaml|env)$/.test(file)) continue;
      const path = join(example, file);
      let content = (await readFile(path, 'utf8')).replace(
        /^(\s*namespace:) vitrine$/gm,
        `$1 ${this.kubectl.namespace}`,
      );
      if (file === 'namespace.yaml')
        content = content.replace('name: vitrine', `name: ${this.kubectl.namespace}`);
      content = content.replaceAll('images.example/vitrine', IMAGES).replace(/newTag: .*/g, `newTag: ${TAG}`);
      await writeFile(path, content);
    }
    await this.changeSettings(settings);
  }

  /** Replaces settings in `settings.env`. A value of '' removes the setting. */
  async changeSettings(changes: Record<string, string>): Promise<void> {
    const file = join(this.#folder, 'infra/kubernetes/example/deployment/settings.env');
    const lines = (await readFile(file, 'utf8'))
      .split('\n')
      .filter((line) => !((line.split('=')[0] ?? '') in changes));
    const added = Object.entries(changes).flatMap(([name, value]) =>
      value === '' ? [] : [`${name}=${value}`],
    );
    await writeFile(file, [...lines.filter((line) => line !== ''), ...added, ''].join('\n'));
  }

  /** Writes a file in the copy, for example the file of a secret. */
  write = (file: string, content: string): Promise<void> => writeFile(join(this.#folder, file), content);

  /** Adds text to a file in the copy. */
  append = (file: string, content: string): Promise<void> => appendFile(join(this.#folder, file), content);

  /** Replaces text in one of the copy's files. */
  async change(file: string, pattern: RegExp, replacement: string): Promise<void> {
    const text = await readFile(join(this.#folder, file), 'utf8');
    await this.write(file, text.replace(pattern, replacement));
  }

  /**
   * Creates the namespace with Kafka, Elasticsearch and the pod `tools` on a node, waits until they run, and
   * gives the users their rights.
   */
  async startEngines(node: string): Promise<void> {
    await this.command(['kubectl', 'apply', '-f', 'infra/kubernetes/example/namespace.yaml']);
    const { ca, manifests } = await createEngines(node, CLI_IMAGE);
    await this.write('ca.crt', ca);
    await this.kubectl.apply(manifests);
    for (const name of ['kafka', 'elasticsearch'])
      await this.kubectl.run([
        'rollout',
        'status',
        `statefulset/${name}`,
        `--timeout=${ENGINES_WITHIN_MS / 1_000}s`,
      ]);
    await this.kubectl.run(['wait', 'pod/tools', '--for=condition=Ready', '--timeout=5m']);
    await this.tools(ALLOW, [], JSON.stringify(accessRules()));
  }

  /**
   * Runs the commands in one section of the page, one after the other, until one fails.
   * @param names the cluster's name for each name on the page that differs
   * @returns their output
   */
  async section(heading: string, names: Record<string, string> = {}): Promise<string> {
    let output = '';
    for (const words of documentedCommands(PAGE, heading))
      output += await this.command(words.map((word) => names[word] ?? word));
    return output;
  }

  /** Runs a documented command in the copy of the manifests. @throws if it fails */
  async command(words: readonly string[]): Promise<string> {
    const own = words.map((word) => (word === 'vitrine' ? this.kubectl.namespace : word));
    const began = performance.now();
    const { code, stdout, stderr } = await runProgram(own, { cwd: this.#folder });
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    this.#say(`${seconds} s, exit code ${code}: ${words.join(' ')}`);
    if (code !== 0)
      throw new Error(
        `${words.join(' ')} ended with ${code}:\n${stderr.slice(-3_000)}${stdout.slice(-3_000)}`,
      );
    return stdout;
  }

  /** Runs a program of ./programs.ts in the pod `tools`. */
  tools(program: string, args: readonly string[], input = ''): Promise<string> {
    const node = ['node', '--input-type=module', '-e', program, ...args];
    return this.kubectl.run(['exec', '-i', 'tools', '--', ...node], input);
  }

  /** Publishes records, and creates the topic first if `partitions` is given. */
  async publish(records: readonly object[], topic: string, partitions?: number): Promise<void> {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await this.tools(PUBLISH, [topic, ...(partitions === undefined ? [] : [String(partitions)])], lines);
  }

  /** Every item in a feed, in order. */
  async crawl(path: string): Promise<Record<string, unknown>[]> {
    const lines = (await this.tools(CRAWL, [path])).trimEnd().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Requests pages inside the cluster while `work` runs. @returns what happened to the requests */
  async underLoad(work: () => Promise<unknown>): Promise<Load> {
    const node = ['node', '--input-type=module', '-e', LOAD];
    const child = spawn('kubectl', ['-n', this.kubectl.namespace, 'exec', '-i', 'tools', '--', ...node], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const output = text(child.stdout);
    try {
      await work();
    } finally {
      child.stdin.end();
    }
    const load = JSON.parse(await output) as Load;
    const { requests, refused, failed, failures } = load;
    this.#say(`${requests} requests, ${refused} repeated after 503, ${failed} failed ${failures.join('; ')}`);
    return load;
  }

  /** Removes the copy. The test's script removes the namespace. */
  remove = (): Promise<void> => rm(this.#folder, { recursive: true, force: true });
}
