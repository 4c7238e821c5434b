import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadMapping } from '@vitrine/ingest';
import { containerOf, environmentOf, type Manifest, manifestOf, podOf } from '@vitrine/test/manifests';
import { expect } from 'chai';
import { bytes, expectSettings, INGEST, PROJECTOR, QUERY } from '../deployment-limits.ts';
import { renderBefore } from './rendered.ts';

const ROOT = join(import.meta.dirname, '../..');
const acls = JSON.parse(readFileSync(join(ROOT, 'infra/kafka/acls.json'), 'utf8')) as {
  principal: string;
  resource: { name: string };
  operations: string[];
}[];
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
/** The registry of the example overlay. The top-level domain `example` is reserved (RFC 2606). */
const REGISTRY = 'images.example/';
/** No registry can have this name, because the top-level domain `invalid` is reserved too. */
const PLACEHOLDER = 'registry.invalid/vitrine/';
const FOLDERS = ['example', 'example/commands', 'example/ingest', 'example/rollout'] as const;
const BASES = ['base/commands', 'base/ingest', 'base/projector', 'base/query', 'next-projector'] as const;
/** The ConfigMap of the ingest's mapping. Only the ingest's pod has this ConfigMap. */
const MAPPING = /^ingest-mapping-[a-z0-9]{10}$/;

describe('infra/kubernetes: the overlay', () => {
  const rendered = renderBefore(...FOLDERS, ...BASES);
  const podsOf = (manifests: Manifest[]) =>
    manifests.flatMap((manifest) => {
      const pod = podOf(manifest);
      return pod
        ? [{ name: `${manifest.kind} ${manifest.metadata.name}`, pod, container: containerOf(pod) }]
        : [];
    });
  const allPods = () =>
    FOLDERS.flatMap((folder) => podsOf(rendered()[folder]).map((one) => ({ folder, ...one })));

  it('takes every image from its own registry, with a tag of this version for each build', () => {
    for (const { folder, name, container } of allPods()) {
      const [, image, tag] = /^(.+?):([^:/]+)$/.exec(container.image) ?? [];
      const program = name.startsWith('CronJob') ? 'cli' : name.replace(/^Deployment |-next$/g, '');
      expect(image, `${folder}: ${name}`).to.equal(`${REGISTRY}vitrine/${program}`);
      expect(tag, `${folder}: ${name}`).to.match(new RegExp(`^${version.replaceAll('.', '\\.')}-\\d+$`));
      expect(container.imagePullPolicy, name).to.equal('IfNotPresent');
    }
  });

  it('names in the base only images that no registry can have', () => {
    const images = BASES.flatMap((folder) =>
      podsOf(rendered()[folder]).map(({ container }) => container.image),
    );
    expect(new Set(images)).to.deep.equal(
      new Set(
        ['cli', 'ingest', 'projector', 'projector-next', 'query'].map((name) => `${PLACEHOLDER}${name}`),
      ),
    );
  });

  it('restarts pods if a setting changes: one ConfigMap, named by its content', () => {
    const maps = FOLDERS.map((folder) =>
      rendered()[folder].filter(({ kind, metadata }) => kind === 'ConfigMap' && !MAPPING.test(metadata.name)),
    );
    for (const [one, ...others] of maps) {
      expect(others).to.deep.equal([]);
      expect(one?.metadata.name).to.match(/^vitrine-[a-z0-9]{10}$/);
      expect(one).to.deep.equal(maps[0]?.[0]);
    }
    for (const { name, container } of allPods())
      expect(container.envFrom, name).to.deep.equal([
        { configMapRef: { name: maps[0]?.[0]?.metadata.name } },
      ]);
  });

  it('has valid settings, and sets only settings that the programs read', () => {
    const settings = Object.fromEntries(
      readFileSync(join(import.meta.dirname, 'base/settings/settings.env'), 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    ) as Record<string, string>;
    const those = (known: string[]) =>
      Object.fromEntries(Object.entries(settings).filter(([name]) => known.includes(name)));
    expectSettings('projector', those(PROJECTOR), PROJECTOR);
    expectSettings('ingest', those(INGEST), INGEST);
    expectSettings('query', those(QUERY), QUERY);
    for (const manifests of [rendered().example, rendered()['example/ingest']])
      for (const { container } of podsOf(manifests))
        for (const name of Object.keys(environmentOf(manifests, container)))
          expect([...PROJECTOR, ...INGEST, ...QUERY, 'NODE_OPTIONS', 'TMPDIR']).to.include(
            name.replace(/_FILE$/, ''),
          );
  });

  it('lets every pod read its secret, and gives each program its own user', () => {
    for (const { folder, name, pod, container } of allPods()) {
      const program = name.startsWith('CronJob') ? 'cli' : name.replace(/^Deployment |-next$/g, '');
      const [[volume, ...others] = [], empty = []] = [true, false].map((isSecret) =>
        (pod.volumes ?? []).filter(({ secret }) => (secret !== undefined) === isSecret),
      );
      expect(others).to.deep.equal([]);
      for (const { emptyDir, configMap } of empty)
        expect(emptyDir ?? configMap?.name, name).to.satisfy((found: object | string) =>
          typeof found === 'string' ? MAPPING.test(found) : Object.keys(found).length === 0,
        );
      expect(volume?.secret, name).to.deep.equal({
        secretName: `${program}-credentials`,
        defaultMode: 0o440,
      });
      expect(pod.securityContext, name).to.include({ fsGroup: 10001, runAsGroup: 10001 });
      const mount = container.volumeMounts?.find((one) => one.name === volume?.name);
      expect(mount).to.deep.include({ name: volume?.name, readOnly: true });
      const env = environmentOf(rendered()[folder], container);
      if (program !== 'ingest') expect(env.ELASTICSEARCH_USERNAME, name).to.equal(`vitrine-${program}`);
      if (program !== 'query') expect(env.KAFKA_SASL_USERNAME, name).to.equal(`vitrine-${program}`);
      for (const [variable, path] of Object.entries(env).filter(([key]) => key.endsWith('_FILE')))
        expect(path, variable).to.match(new RegExp(`^${mount?.mountPath}/[a-z.-]+$`));
    }
  });

  it('gives the ingest a mapping that its image can load, under a name of its content', async () => {
    const manifests = rendered()['example/ingest'];
    const [map] = manifests.filter(({ metadata }) => MAPPING.test(metadata.name));
    const [{ pod, container } = expect.fail('no pod')] = podsOf(manifests);
    const volume = pod.volumes?.find(({ configMap }) => configMap?.name === map?.metadata.name);
    const mount = container.volumeMounts?.find(({ name }) => name === volume?.name);
    const [file] = Object.keys(map?.data ?? {});
    expect(`${mount?.mountPath}/${file}`).to.equal(environmentOf(manifests, container).MAPPING);
    const mapping = await loadMapping(join(import.meta.dirname, 'example/ingest/mapping.ts'));
    const { topics } = mapping;
    const [source] = acls.filter(
      ({ principal, resource }) => principal === 'User:vitrine-ingest' && topics.includes(resource.name),
    );
    expect(source?.operations).to.include('Read');
  });

  it('allows the dry run and the size warning of the ingest, and the commands for its dead letters', () => {
    const rights = (user: string, resource: string) =>
      acls.find((one) => one.principal === `User:vitrine-${user}` && one.resource.name === resource)
        ?.operations;
    const deadLetters = 'marketplace.listing-events.ingest-dead-letters';
    expect(rights('ingest', 'listing-ingest-')).to.include('Delete');
    expect(rights('ingest', deadLetters)).to.include('DescribeConfigs');
    expect(rights('cli', deadLetters)).to.have.members(['Read', 'Write', 'Describe', 'DescribeConfigs']);
  });

  it('contains no secret, so that apply never overwrites one', () => {
    for (const folder of [...FOLDERS, ...BASES])
      expect(rendered()[folder].map(({ kind }) => kind)).to.not.include('Secret');
  });

  it('runs no pod as root, with a writable file system, or with access to the Kubernetes API', () => {
    const account = manifestOf(rendered()['example/commands'], 'ServiceAccount', 'vitrine');
    expect(account.automountServiceAccountToken).to.equal(false);
    for (const { name, pod, container } of allPods()) {
      expect(pod.securityContext, name).to.deep.include({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod, name).to.include({ automountServiceAccountToken: false, serviceAccountName: 'vitrine' });
      expect(container.securityContext, name).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(bytes(container.resources.limits.memory ?? ''), name).to.be.above(0);
    }
  });

  it('names no retired ingress controller', () => {
    expect(manifestOf(rendered().example, 'Ingress', 'query').spec.ingressClassName).to.not.equal('nginx');
  });
});
