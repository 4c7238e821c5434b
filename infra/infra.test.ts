import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameDistribution } from '@vitrine/engines/testing';
import { projectorSettings } from '@vitrine/projection/settings';
import { schema as querySettings, readQuerySettings } from '@vitrine/query/settings';
import { checkTopics } from '@vitrine/runtime/kafka';
import { startAdminServer } from '@vitrine/runtime/service';
import { readSettings } from '@vitrine/runtime/settings';
import { npmCommand } from '@vitrine/test/service-process';
import { expect } from 'chai';
import { DockerfileParser } from 'dockerfile-ast';
import { parse, parseAllDocuments } from 'yaml';

const here = (path: string): string => join(import.meta.dirname, path);
const read = (path: string): string => readFileSync(here(path), 'utf8');

const PROJECTOR = Object.keys(projectorSettings.properties);
const QUERY = Object.keys(querySettings.properties);
const PORTS = { projector: { admin: 8082 }, query: { http: 8080, admin: 8081 } } as const;
/** After this long, `runService` ends a service that has not stopped. */
const STOP_SECONDS = 20;
const MIB = 1024 ** 2;
/** The kubelet's defaults: containerLogMaxFiles × containerLogMaxSize. */
const KUBELET_LOG_BYTES = 5 * 10 * MIB;
const bytes = (text: string): number => {
  const [, amount, unit = ''] = /^(\d+)(m|g|Mi|Gi)$/.exec(text) ?? [];
  if (amount === undefined) throw new Error(`${text} is not a size`);
  return Number(amount) * ({ m: MIB, g: 1024 * MIB, Mi: MIB, Gi: 1024 * MIB }[unit] ?? 0);
};
/** The heap that a service's own flags allow, plus memory for the cache, buffers and code. */
const neededBytes = (service: 'projector' | 'query'): number => {
  const flag = (name: string): number =>
    Number(new RegExp(`--${name}=(\\d+)`).exec(npmCommand(service).join(' '))?.[1]) * MIB;
  const cache =
    service === 'query' ? readQuerySettings({ ELASTICSEARCH_URL: 'http://e:9200' }).cacheBytes : 0;
  return flag('max-old-space-size') + 3 * flag('max-semi-space-size') + cache + 128 * MIB;
};
/** Fails if a name is not a setting, a required setting is missing, or a value is invalid. */
const expectSettings = (
  service: 'projector' | 'query',
  env: Record<string, string>,
  known: readonly string[],
): void => {
  expect(known, 'settings that the service does not read').to.include.members(Object.keys(env));
  if (service === 'projector') readSettings(projectorSettings, env, checkTopics);
  else readQuerySettings(env);
};

interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string; target: string };
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  entrypoint?: string[];
  command?: string[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  mem_limit?: string;
  logging?: { driver: string; options: Record<string, string> };
  stop_grace_period?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  volumes?: string[];
}

describe('infra/compose.yaml', () => {
  const { services, volumes } = parse(
    read('compose.yaml').replaceAll(/\$\{\w+:-([^}]*)\}/g, (_all, preset: string) => preset),
    { merge: true },
  ) as { services: Record<string, ComposeService>; volumes: object };
  const ours = ['topics', 'projector', 'query', 'cli'] as const;
  const of = (name: string): ComposeService => services[name] as ComposeService;

  it('gives each service complete and valid settings', () => {
    for (const name of ours) {
      const service = name === 'query' ? 'query' : 'projector';
      const env = Object.fromEntries(
        Object.entries(of(name).environment ?? {}).map(([key, value]) => [key, String(value)]),
      );
      expectSettings(service, env, service === 'query' ? QUERY : PROJECTOR);
    }
    expect(of('projector').environment).to.include({
      KAFKA_BROKERS: 'kafka:9092',
      ELASTICSEARCH_URL: 'http://elasticsearch:9200',
    });
  });

  it('builds only targets of the Dockerfile, each under one image name', () => {
    const stages = DockerfileParser.parse(read('docker/Dockerfile'))
      .getFROMs()
      .map((from) => from.getBuildStage());
    for (const name of ours) {
      const { build, image } = of(name);
      expect(build).to.include({ context: '..', dockerfile: 'infra/docker/Dockerfile' });
      expect(stages).to.include(build?.target);
      expect(image).to.equal(`vitrine/${build?.target}:1.0.0`);
    }
    for (const name of ['topics', 'cli'])
      expect(of(name).entrypoint?.join(' ')).to.equal(npmCommand('cli').join(' '));
  });

  it('runs the same engines as the tests', () => {
    const { kafka, elasticsearch } = nameDistribution(read('engines/pom.xml'));
    expect(of('kafka').image).to.equal(`apache/kafka:${kafka}`);
    expect(of('elasticsearch').image).to.equal(`elasticsearch:${elasticsearch}`);
  });

  it('limits memory above the heap limit, and gives each service time to stop', () => {
    for (const [name, { mem_limit = '' }] of Object.entries(services))
      expect(bytes(mem_limit), name).to.be.above(0);
    for (const name of ['projector', 'query'] as const)
      expect(bytes(of(name).mem_limit ?? ''), name).to.be.at.least(neededBytes(name));
    for (const name of ours) {
      expect(Number.parseInt(of(name).stop_grace_period ?? '', 10), name).to.be.above(STOP_SECONDS);
      expect(of(name), name).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
    }
    expect(bytes(of('elasticsearch').mem_limit ?? '')).to.be.at.least(
      2 * bytes(/-Xmx(\w+)/.exec(of('elasticsearch').environment?.ES_JAVA_OPTS ?? '')?.[1] ?? ''),
    );
  });

  it("limits each container's log", () => {
    for (const [name, { logging }] of Object.entries(services)) {
      expect(logging?.driver, name).to.equal('json-file');
      const { 'max-size': size = '', 'max-file': files = '' } = logging?.options ?? {};
      expect(bytes(size) * Number(files), name).to.be.within(10 * MIB, 100 * MIB);
    }
  });

  it('publishes the service ports, and the admin ports only on this machine', () => {
    expect(of('projector').ports).to.deep.equal([
      `127.0.0.1:${PORTS.projector.admin}:${PORTS.projector.admin}`,
    ]);
    expect(of('query').ports).to.deep.equal([
      `8080:${PORTS.query.http}`,
      `127.0.0.1:${PORTS.query.admin}:${PORTS.query.admin}`,
    ]);
  });

  it("waits only for services with a health check, and keeps the engines' data", () => {
    for (const [name, service] of Object.entries(services))
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(services, name).to.have.property(other);
        if (condition === 'service_healthy') expect(of(other).healthcheck?.test, other).to.be.an('array');
      }
    const mounted = Object.values(services).flatMap(({ volumes: list = [] }) =>
      list.map((volume) => volume.split(':')[0]),
    );
    expect(mounted.sort()).to.deep.equal(Object.keys(volumes).sort());
  });
});

interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: object;
}
interface PodSpec {
  terminationGracePeriodSeconds?: number;
  securityContext: object;
  automountServiceAccountToken: boolean;
  serviceAccountName: string;
  containers: Container[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  resources: string[];
  patches?: { path: string }[];
  spec: {
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    jobTemplate: { spec: Manifest['spec'] };
    selector: Record<string, string> & { matchLabels?: Record<string, string> };
    podSelector: { matchLabels: Record<string, string> };
    ports: { name: string; port: number; targetPort: string }[];
    ingress?: { ports: { port: string }[] }[];
    scaleTargetRef: { kind: string; name: string };
    minReplicas: number;
    maxUnavailable: number;
  };
}

describe('infra/kubernetes', () => {
  const load = (path: string): Manifest[] =>
    parseAllDocuments(read(`kubernetes/${path}`), { merge: true }).map((one) => one.toJS() as Manifest);
  const filesIn = (folder: string): string[] =>
    readdirSync(here(`kubernetes/${folder}`)).filter((name) => name !== 'kustomization.yaml');
  const base = filesIn('base').flatMap((name) => load(`base/${name}`));
  const kinds = (kind: string): Manifest[] => base.filter((one) => one.kind === kind);
  const named = (kind: string, name: string): Manifest => {
    const found = base.find((one) => one.kind === kind && one.metadata.name === name);
    if (!found) throw new Error(`there is no ${kind} ${name}`);
    return found;
  };
  const settings = named('ConfigMap', 'vitrine').data;
  const services = ['projector', 'query'] as const;
  const podOf = (service: string): PodSpec => named('Deployment', service).spec.template.spec;
  const containerOf = (service: string): Container => podOf(service).containers[0] as Container;
  const jobs = filesIn('jobs').flatMap((name) => load(`jobs/${name}`));
  const jobPods = jobs.map(
    ({ kind, spec }) => (kind === 'CronJob' ? spec.jobTemplate.spec : spec).template.spec,
  );

  it('lists exactly the existing files', () => {
    for (const folder of ['base', 'example']) {
      const [{ resources, patches = [] }] = load(`${folder}/kustomization.yaml`) as [Manifest];
      const own = [...resources, ...patches.map(({ path }) => path)].filter((path) => !path.startsWith('..'));
      expect(own.sort(), folder).to.deep.equal(filesIn(folder).sort());
    }
  });

  it('has one ConfigMap with complete and valid settings for both services', () => {
    expect(kinds('ConfigMap')).to.have.length(1);
    expect([...PROJECTOR, ...QUERY]).to.include.members(Object.keys(settings));
    const those = (known: string[]) =>
      Object.fromEntries(Object.entries(settings).filter(([name]) => known.includes(name)));
    expectSettings('projector', those(PROJECTOR), PROJECTOR);
    expectSettings('query', those(QUERY), QUERY);
    for (const pod of [...services.map(podOf), ...jobPods])
      expect(pod.containers[0]?.envFrom).to.deep.equal([{ configMapRef: { name: 'vitrine' } }]);
  });

  it('patches only parts of the base, and sets only settings that the services read', () => {
    const patches = filesIn('example')
      .flatMap((name) => load(`example/${name}`))
      .filter(({ kind, metadata }) =>
        base.some((one) => one.kind === kind && one.metadata.name === metadata.name),
      );
    expect(patches.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).to.deep.equal([
      'ConfigMap vitrine',
      'Deployment projector',
      'Deployment query',
    ]);
    for (const { kind, metadata, spec, data } of patches) {
      if (kind === 'ConfigMap') {
        expect(Object.keys(settings)).to.include.members(Object.keys(data));
        continue;
      }
      // A patch with another name would add a second container.
      expect(spec.template.spec.containers.map(({ name }) => name)).to.deep.equal([
        containerOf(metadata.name).name,
      ]);
      for (const { name } of spec.template.spec.containers[0]?.env ?? [])
        expect(name).to.satisfy((one: string) =>
          [...PROJECTOR, ...QUERY].includes(one.replace(/_FILE$/, '')),
        );
    }
  });

  for (const service of services) {
    it(`${service}: probes request paths that the admin server has, on ports that are open`, async () => {
      const { ports = [], startupProbe, livenessProbe, readinessProbe } = containerOf(service);
      expect(Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort]))).to.deep.equal(
        PORTS[service],
      );
      const metrics = { contentType: 'text/plain', metrics: async () => '' };
      const admin = await startAdminServer(0, metrics, () => ({ ready: true, reasons: [] }));
      try {
        for (const [probe, path] of [
          [startupProbe, '/health/live'],
          [livenessProbe, '/health/live'],
          [readinessProbe, '/health/ready'],
        ] as const) {
          expect(probe?.httpGet).to.deep.equal({ path, port: 'admin' });
          expect((await fetch(`http://127.0.0.1:${admin.port}${path}`)).status).to.equal(200);
        }
      } finally {
        await admin.close();
      }
    });

    it(`${service}: limits memory above the heap limit, and requests all of it`, () => {
      const { requests, limits } = containerOf(service).resources;
      expect(bytes(limits.memory ?? '')).to.be.at.least(neededBytes(service));
      expect(requests.memory).to.equal(limits.memory);
      expect(requests).to.have.property('cpu');
    });

    it(`${service}: is not evicted because of the log that the kubelet keeps`, () => {
      const { requests, limits } = containerOf(service).resources;
      expect(bytes(limits['ephemeral-storage'] ?? '')).to.be.at.least(2 * KUBELET_LOG_BYTES);
      expect(bytes(requests['ephemeral-storage'] ?? '')).to.be.at.least(KUBELET_LOG_BYTES);
    });

    it(`${service}: has enough time to stop`, () => {
      const sleep = containerOf(service).lifecycle?.preStop.sleep.seconds ?? 0;
      expect(podOf(service).terminationGracePeriodSeconds).to.be.above(STOP_SECONDS + sleep);
    });

    it(`${service}: selectors match its pods, and only one pod may be unavailable`, () => {
      const { labels } = named('Deployment', service).spec.template.metadata;
      const label = { 'app.kubernetes.io/name': service };
      expect(labels).to.include(label);
      expect(named('Deployment', service).spec.selector.matchLabels).to.deep.equal(label);
      expect(named('PodDisruptionBudget', service).spec).to.deep.include({
        maxUnavailable: 1,
        selector: { matchLabels: label },
      });
      expect(named('NetworkPolicy', service).spec.podSelector.matchLabels).to.deep.equal(label);
      const ports = new Set(Object.keys(PORTS[service]));
      for (const rule of named('NetworkPolicy', service).spec.ingress ?? [])
        for (const { port } of rule.ports) expect(ports).to.include(port);
      for (const { spec } of kinds('Service').filter((one) => one.metadata.name.startsWith(service))) {
        expect(spec.selector).to.deep.equal(label);
        for (const { targetPort } of spec.ports) expect(ports).to.include(targetPort);
      }
    });
  }

  it('scales the query service, but never down to one pod', () => {
    const { scaleTargetRef, minReplicas } = named('HorizontalPodAutoscaler', 'query').spec;
    expect(scaleTargetRef).to.include({ kind: 'Deployment', name: 'query' });
    expect(minReplicas).to.be.at.least(2);
  });

  it('runs no pod as root, with a writable file system, or with access to the Kubernetes API', () => {
    for (const pod of [...services.map(podOf), ...jobPods]) {
      expect(pod.securityContext).to.deep.include({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).to.equal(false);
      expect(named('ServiceAccount', pod.serviceAccountName)).to.have.property(
        'automountServiceAccountToken',
        false,
      );
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(bytes(resources.limits.memory ?? '')).to.be.above(0);
      }
    }
  });

  it('names the images that compose builds, and runs the command line like npm', () => {
    const [{ images }] = load('base/kustomization.yaml') as unknown as [
      { images: { name: string; newTag: string }[] },
    ];
    expect(images).to.deep.equal(
      services.map((service) => ({ name: `vitrine/${service}`, newTag: '1.0.0' })),
    );
    for (const service of services) expect(containerOf(service).image).to.equal(`vitrine/${service}`);
    expect(jobPods.map(({ containers }) => containers[0]?.args?.join(' '))).to.deep.equal([
      'replay --rate 1500',
      'topics create',
      'verify --self',
    ]);
    for (const { containers } of jobPods) {
      expect(containers[0]?.image).to.equal('vitrine/projector:1.0.0');
      expect(containers[0]?.command?.join(' ')).to.equal(npmCommand('cli').join(' '));
    }
  });
});
