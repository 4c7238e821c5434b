import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. `input` is its standard input. */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { cwd, input = '' }: { cwd?: string; input?: string } = {},
): Promise<Ran> {
  const child = spawn(program, args, { ...(cwd !== undefined && { cwd }), stdio: 'pipe' });
  const exited = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}

/** Commands of kubectl in one namespace of the cluster that KUBECONFIG names. */
export class Kubectl {
  readonly namespace: string;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** Runs a command in the namespace. @returns its output. @throws if it fails */
  async run(args: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await runProgram(
      ['kubectl', '-n', this.namespace, ...args],
      input === undefined ? {} : { input },
    );
    if (code !== 0)
      throw new Error(`kubectl ${args.join(' ').slice(0, 300)} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.run([...args, '-o', 'json'])) as T;
  }

  async apply(manifests: readonly object[]): Promise<void> {
    await this.run(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
    );
  }

  /** Waits until every pod of a Deployment runs its newest version, and no older pod is left. */
  rollout(name: string): Promise<string> {
    return this.run(['rollout', 'status', `deploy/${name}`, '--timeout=10m']);
  }

  /** The running pods of a Deployment. */
  async podsOf(name: string): Promise<Pod[]> {
    const { items } = await this.json<{ items: Pod[] }>(
      'get',
      'pods',
      '-l',
      `app.kubernetes.io/name=${name}`,
    );
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Asks the API server to evict a pod, as `kubectl drain` does. @throws if a disruption budget forbids it */
  async evict(pod: string): Promise<void> {
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod, namespace: this.namespace },
    };
    const path = `/api/v1/namespaces/${this.namespace}/pods/${pod}/eviction`;
    await this.run(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
  }
}

export interface Pod {
  metadata: { name: string; deletionTimestamp?: string };
  spec: { nodeName: string };
  status: {
    phase: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}

export const isReady = ({ status }: Pod): boolean =>
  (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
