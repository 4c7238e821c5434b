import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TODAY } from '@vitrine/fixtures';
import { PASSWORDS, type SecureEngines, type SecureUser } from './engines.ts';
import {
  containerOf,
  environmentOf,
  type Manifest,
  type PodSpec,
  podOf,
  renderManifests,
} from './manifests.ts';
import { addressesOf, eventually, type ServiceProcess, startNode, startService } from './service-process.ts';

/** The mount path of the secrets in the overlay. */
const MOUNT = '/run/secrets/vitrine';
type Script = Parameters<typeof startService>[0];
const READY_WITHIN_MS = 150_000;

/** The process of a Deployment or job. */
interface Started {
  manifest: Manifest;
  process: ServiceProcess;
}

/**
 * Performs kubectl commands with processes on this machine instead of pods. A process has the arguments,
 * settings, user and secrets of the rendered pod. Only the addresses, the ports and the path of the secrets
 * differ. A job ends before its command returns.
 */
export class LocalCluster {
  readonly #secure: SecureEngines;
  readonly #folder: string;
  readonly #deployments = new Map<string, Started>();
  readonly #cronJobs = new Map<string, { manifest: Manifest; manifests: Manifest[] }>();
  /** The environment of the idle pod. */
  #idle: Record<string, string> | undefined;

  private constructor(secure: SecureEngines, folder: string) {
    this.#secure = secure;
    this.#folder = folder;
  }

  static async create(secure: SecureEngines): Promise<LocalCluster> {
    return new LocalCluster(secure, await mkdtemp(join(tmpdir(), 'vitrine-cluster-')));
  }

  /** Performs a command. @returns its output. @throws if it fails, or if the class does not know it */
  async run([program, ...words]: readonly string[]): Promise<string> {
    const [verb, what = '', name = ''] = words;
    if (program?.endsWith('/run-job.sh')) return this.#runJob(what, name);
    if (verb === 'apply') return words.includes('-f') ? '' : await this.#apply(words[2] ?? '');
    if (verb === 'create' && what === 'secret') return this.#createSecret(words[3] ?? '', words);
    if (verb === 'rollout') return this.#ready(name.replace('deploy/', ''));
    if (verb === 'exec') return this.#exec(words.slice(words.indexOf('--') + 1));
    if (verb === 'delete') return this.#delete(words.at(-1)?.split('=') ?? []);
    throw new Error(`unknown command: kubectl ${words.join(' ')}`);
  }

  /** The process of a Deployment. @throws if no command has started it */
  processOf(name: string): ServiceProcess {
    const started = this.#deployments.get(name);
    if (!started) throw new Error(`no command has started ${name}`);
    return started.process;
  }

  get deployments(): string[] {
    return [...this.#deployments.keys()].sort();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#deployments.values()].map(({ process }) => process.end()));
    await rm(this.#folder, { recursive: true });
  }

  async #apply(folder: string): Promise<string> {
    const manifests = renderManifests(folder) ?? [];
    for (const manifest of manifests) {
      const { name } = manifest.metadata;
      const pod = podOf(manifest);
      if (!pod) continue;
      if (manifest.kind === 'CronJob') this.#cronJobs.set(name, { manifest, manifests });
      else if (name === 'cli') this.#idle = this.#environment(manifests, manifest);
      else if (!this.#deployments.has(name)) {
        const env = {
          ...this.#environment(manifests, manifest),
          ...(await this.#mountFiles(manifests, pod)),
          PORT: '0',
          ADMIN_PORT: '0',
        };
        this.#deployments.set(name, {
          manifest,
          process: startService(containerOf(pod).name as Script, env),
        });
      }
    }
    return '';
  }

  /** Writes the files of a ConfigMap as the kubelet does: behind two links. @returns the path of the mapping */
  async #mountFiles(manifests: Manifest[], { volumes = [] }: PodSpec): Promise<Record<string, string>> {
    const map = volumes.find(({ configMap }) => configMap)?.configMap?.name;
    const { data } = manifests.find(({ metadata }) => metadata.name === map) ?? {};
    if (map === undefined || data === undefined) return {};
    const folder = join(this.#folder, map);
    await mkdir(join(folder, '..2026_11_25'), { recursive: true });
    await symlink('..2026_11_25', join(folder, '..data'));
    for (const [name, text] of Object.entries(data)) {
      await writeFile(join(folder, '..2026_11_25', name), text);
      await symlink(join('..data', name), join(folder, name));
    }
    return { MAPPING: join(folder, 'mapping.ts') };
  }

  async #createSecret(secret: string, words: readonly string[]): Promise<string> {
    const user = `vitrine-${secret.replace('-credentials', '')}` as SecureUser;
    await mkdir(join(this.#folder, secret));
    for (const key of words.flatMap((word) => /^--from-file=([^=]+)/.exec(word)?.[1] ?? []))
      await writeFile(
        join(this.#folder, secret, key),
        key === 'ca.crt' ? (this.#secure.engines.ca ?? '') : PASSWORDS[user],
      );
    return '';
  }

  async #runJob(name: string, template: string): Promise<string> {
    const found = this.#cronJobs.get(template);
    const pod = found && podOf(found.manifest);
    if (!pod) throw new Error(`there is no CronJob ${template}`);
    const env = this.#environment(found.manifests, found.manifest);
    const job = startService('cli', env, containerOf(pod).args);
    const code = await job.exited;
    if (code !== 0) throw new Error(`the job ${name} ended with ${code}: ${job.log()}`);
    return job.log();
  }

  async #ready(name: string): Promise<string> {
    const service = this.processOf(name);
    if (name === 'query') await addressesOf(service);
    else
      await eventually(
        `${name} consumes`,
        async () => /"msg":"(projecting|ingesting)"/.test(service.log()),
        READY_WITHIN_MS,
      ).catch((error: Error) => {
        throw new Error(`${error.message}\n${service.log()}`, { cause: error });
      });
    return service.log();
  }

  async #exec([, ...args]: readonly string[]): Promise<string> {
    if (!this.#idle) throw new Error('there is no idle pod');
    const command = startNode(args, this.#idle);
    const code = await command.exited;
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${command.log()}`);
    return command.log();
  }

  async #delete([label, value]: readonly string[]): Promise<string> {
    for (const [name, { manifest, process }] of this.#deployments)
      if (label !== undefined && manifest.metadata.labels?.[label] === value) {
        await process.end();
        this.#deployments.delete(name);
      }
    return '';
  }

  #environment(manifests: Manifest[], manifest: Manifest): Record<string, string> {
    const pod = podOf(manifest);
    if (!pod) throw new Error(`${manifest.metadata.name} has no pod`);
    const secret = pod.volumes?.find((volume) => volume.secret)?.secret;
    const secrets = join(this.#folder, secret?.secretName ?? '');
    const env = Object.entries(environmentOf(manifests, containerOf(pod)));
    const { KAFKA_BROKERS, ELASTICSEARCH_URL } = this.#secure.engines.settings;
    return {
      ...Object.fromEntries(env.map(([name, value]) => [name, value.replace(MOUNT, secrets)])),
      KAFKA_BROKERS,
      ELASTICSEARCH_URL,
      FEED_TODAY: TODAY,
    };
  }
}
