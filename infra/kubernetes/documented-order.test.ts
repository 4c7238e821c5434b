import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedCommands } from '@vitrine/test/documented-commands';
import {
  containerOf,
  environmentOf,
  type Manifest,
  manifestOf,
  podOf,
  renderManifests,
} from '@vitrine/test/manifests';
import { npmCommand } from '@vitrine/test/service-process';
import { expect } from 'chai';
import { parse } from 'yaml';
import { renderBefore } from './rendered.ts';

const RUN_JOB = 'infra/kubernetes/run-job.sh';
const PAGE = 'docs/operate/deployment.md';
const ROOT = join(import.meta.dirname, '../..');

/** The objects of a cluster after the commands so far, and the keys of its secrets. */
class Cluster {
  readonly objects = new Map<string, Manifest>();
  readonly secrets = new Map<string, string[]>();

  /** Performs a command on the objects. @throws if an object that the command refers to does not exist */
  run([program, ...words]: readonly string[]): void {
    if (program === RUN_JOB) {
      const [namespace, job = '', cronJob = ''] = words;
      expect(namespace).to.equal('vitrine');
      this.add({ ...this.requires('CronJob', cronJob), kind: 'Job' }, job);
      return;
    }
    expect(program).to.equal('kubectl');
    const option = (name: string): string | undefined => {
      const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
      if (at === -1) return undefined;
      return words[at]?.startsWith(`${name}=`) ? words[at].slice(name.length + 1) : words[at + 1];
    };
    const [verb, what = '', name = ''] = words;
    const applied = option('-k') ?? option('-f');
    if (applied === undefined) {
      expect(option('-n'), words.join(' ')).to.equal('vitrine');
      this.requires('Namespace', 'vitrine');
    }
    if (verb === 'apply' && option('-k')) this.apply(renderManifests(option('-k') ?? '') ?? []);
    else if (verb === 'apply')
      this.apply([parse(readFileSync(join(ROOT, applied ?? ''), 'utf8')) as Manifest]);
    else if (verb === 'create' && what === 'secret')
      this.secrets.set(
        words[3] ?? '',
        words.flatMap((word) => /^--from-file=([^=]+)/.exec(word)?.[1] ?? []),
      );
    else if (verb === 'rollout') this.requires('Deployment', name.replace('deploy/', ''));
    else if (verb === 'exec') {
      this.requires('Deployment', what.replace('deploy/', ''));
      const command = words.slice(words.indexOf('--') + 1);
      const [node = '', ...flags] = npmCommand('cli');
      expect(command.slice(0, 2)).to.deep.equal([node, flags.at(-1)]);
      const idle = containerOf(podOf(this.requires('Deployment', 'cli')) ?? expect.fail('no pod'));
      expect(idle.env?.find((one) => one.name === 'NODE_OPTIONS')?.value).to.equal(
        flags.slice(0, -1).join(' '),
      );
    } else if (verb === 'delete') {
      const [label, value] = option('-l')?.split('=') ?? [];
      for (const [key, { metadata }] of this.objects)
        if (label && metadata.labels?.[label] === value) this.objects.delete(key);
    } else expect.fail(`the test does not know this command: ${words.join(' ')}`);
  }

  requires(kind: string, name: string): Manifest {
    const found = this.objects.get(`${kind}/${name}`);
    if (!found) return expect.fail(`there is no ${kind} ${name} yet`);
    return found;
  }

  has(kind: string, name: string): boolean {
    return this.objects.has(`${kind}/${name}`);
  }

  private add(manifest: Manifest, name = manifest.metadata.name): void {
    this.objects.set(`${manifest.kind}/${name}`, manifest);
  }

  /** Adds the objects of one `kubectl apply`, all of whose references must then exist. */
  private apply(manifests: Manifest[]): void {
    expect(manifests).to.not.have.length(0);
    for (const manifest of manifests) this.add(manifest);
    const all = [...this.objects.values()];
    for (const manifest of manifests) {
      if (manifest.kind !== 'Namespace') this.requires('Namespace', manifest.metadata.namespace ?? '');
      const pod = podOf(manifest);
      if (pod) this.expectReferences(all, pod);
    }
  }

  private expectReferences(all: Manifest[], pod: NonNullable<ReturnType<typeof podOf>>): void {
    this.requires('ServiceAccount', pod.serviceAccountName);
    const container = containerOf(pod);
    const env = environmentOf(all, container);
    for (const { secret, configMap } of pod.volumes ?? []) {
      if (configMap) this.requires('ConfigMap', configMap.name);
      if (!secret) continue;
      const keys = this.secrets.get(secret.secretName) ?? expect.fail(`no secret ${secret.secretName} yet`);
      const files = Object.entries(env)
        .filter(([name]) => name.endsWith('_FILE'))
        // The query service does not read Kafka's settings, and the ingest does not read Elasticsearch's
        // settings.
        .filter(([name]) => secret.secretName !== 'query-credentials' || !name.startsWith('KAFKA_'))
        .filter(([name]) => secret.secretName !== 'ingest-credentials' || !name.startsWith('ELASTICSEARCH_'))
        .map(([, path]) => path.slice(path.lastIndexOf('/') + 1));
      expect(new Set(keys), secret.secretName).to.deep.equal(new Set(files));
    }
  }
}

describe('infra/kubernetes: the documented order', () => {
  renderBefore('example');
  const installed = () => {
    const cluster = new Cluster();
    const started: string[] = [];
    for (const command of documentedCommands(PAGE, 'First installation')) {
      cluster.run(command);
      for (const one of ['Job/topics-1', 'Deployment/projector', 'Deployment/query', 'Deployment/cli'])
        if (cluster.objects.has(one) && !started.includes(one)) started.push(one);
    }
    return { cluster, started };
  };

  it('refers only to objects of earlier steps, and creates the topics before the services', function () {
    this.timeout(60_000);
    const commands = documentedCommands(PAGE, 'First installation').map((words) => words.join(' '));
    const { started } = installed();
    expect(started).to.deep.equal([
      'Deployment/cli',
      'Job/topics-1',
      'Deployment/projector',
      'Deployment/query',
    ]);
    const job = commands.indexOf(`${RUN_JOB} vitrine topics-1 topics`);
    expect(job).to.be.within(1, commands.indexOf('kubectl apply -k infra/kubernetes/example') - 1);
  });

  it('adds the ingest, rebuilds, and rolls out new rules beside the old projector, with objects that exist', function () {
    this.timeout(60_000);
    const { cluster } = installed();
    for (const heading of ['The ingest', 'Commands'])
      for (const command of documentedCommands(PAGE, heading)) cluster.run(command);
    expect(cluster.has('Deployment', 'ingest')).to.equal(true);
    let beside = false;
    for (const command of documentedCommands(PAGE, 'Rollout of new rules')) {
      cluster.run(command);
      beside ||= cluster.has('Deployment', 'projector') && cluster.has('Deployment', 'projector-next');
    }
    expect(beside).to.equal(true);
    expect([...cluster.objects.keys()].filter((key) => key.includes('-next'))).to.deep.equal([]);
    expect(manifestOf([...cluster.objects.values()], 'Deployment', 'projector')).to.be.an('object');
  });

  it('contains only commands and options that kubectl has', function () {
    this.timeout(120_000);
    // No server listens on port 1, and the empty configuration names no cluster.
    const nowhere = ['--server=http://127.0.0.1:1', '--request-timeout=2s'];
    for (const heading of ['First installation', 'The ingest', 'Commands', 'Rollout of new rules'])
      for (const [program = '', ...words] of documentedCommands(PAGE, heading)) {
        if (program === RUN_JOB) continue;
        const end = words.includes('--') ? words.indexOf('--') : words.length;
        const { stderr } = spawnSync(program, [...words.slice(0, end), ...nowhere, ...words.slice(end)], {
          cwd: ROOT,
          encoding: 'utf8',
          env: { ...process.env, KUBECONFIG: '/dev/null' },
        });
        expect(stderr, words.join(' ')).to.match(/127\.0\.0\.1:1\b|reading ca\.crt: no such file/);
      }
  });
});
