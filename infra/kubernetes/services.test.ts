import { startAdminServer } from '@vitrine/runtime/service';
import { containerOf, environmentOf, type Manifest, manifestOf, podOf } from '@vitrine/test/manifests';
import { expect } from 'chai';
import { bytes, MIB, neededBytes, PORTS, type Service, STOP_SECONDS } from '../deployment-limits.ts';
import { renderBefore } from './rendered.ts';

/** The kubelet's defaults: containerLogMaxFiles × containerLogMaxSize. */
const KUBELET_LOG_BYTES = 5 * 10 * MIB;
/** Memory of a query pod: docs/operate/deployment.md#memory-of-a-query-pod. */
const BASE_MIB = 384;
const PROCESS_MIB = 384;
const SERVICES = ['projector', 'ingest', 'query'] as const;

describe('infra/kubernetes: the services', () => {
  const rendered = renderBefore('example', 'example/ingest', 'example/rollout');
  /**
   * The pods of each service: the Deployment's name, the service, and the objects that contain the
   * Deployment.
   */
  const deployed = (): [name: string, service: Service, manifests: Manifest[]][] => [
    ['projector', 'projector', rendered().example],
    ['ingest', 'ingest', rendered()['example/ingest']],
    ['query', 'query', rendered().example],
    ['projector-next', 'projector', rendered()['example/rollout']],
  ];
  const podIn = (manifests: Manifest[], name: string) => {
    const pod = podOf(manifestOf(manifests, 'Deployment', name));
    if (!pod) throw new Error(`${name} has no pod`);
    return pod;
  };

  for (const service of SERVICES)
    it(`${service}: probes request paths that the admin server has, on ports that are open`, async () => {
      const container = containerOf(
        podIn(rendered()[service === 'ingest' ? 'example/ingest' : 'example'], service),
      );
      const { ports = [], startupProbe, livenessProbe, readinessProbe } = container;
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

  it('limits memory above the heap limit, and requests all of it', () => {
    for (const [name, service, manifests] of deployed()) {
      const { requests, limits } = containerOf(podIn(manifests, name)).resources;
      expect(bytes(limits.memory ?? ''), name).to.be.at.least(neededBytes(service));
      expect(requests.memory, name).to.equal(limits.memory);
      expect(requests, name).to.have.property('cpu');
    }
  });

  it('gives a query pod memory for its number of processes', () => {
    const { example } = rendered();
    const container = containerOf(podIn(example, 'query'));
    const processes = Number(environmentOf(example, container).PROCESSES);
    expect(processes).to.be.at.least(1);
    expect(container.resources.limits.memory).to.equal(`${BASE_MIB + PROCESS_MIB * processes}Mi`);
    // Every further process needs its own heap and cache, but shares the code with the others.
    expect(PROCESS_MIB * MIB).to.be.at.least(neededBytes('query') - 128 * MIB);
  });

  it('does not evict a pod because of the log that the kubelet keeps', () => {
    for (const [name, , manifests] of deployed()) {
      const { requests, limits } = containerOf(podIn(manifests, name)).resources;
      expect(bytes(limits['ephemeral-storage'] ?? ''), name).to.be.at.least(2 * KUBELET_LOG_BYTES);
      expect(bytes(requests['ephemeral-storage'] ?? ''), name).to.be.at.least(KUBELET_LOG_BYTES);
    }
  });

  it('gives each service enough time to stop', () => {
    for (const [name, , manifests] of deployed()) {
      const pod = podIn(manifests, name);
      const sleep = containerOf(pod).lifecycle?.preStop.sleep.seconds ?? 0;
      expect(pod.terminationGracePeriodSeconds, name).to.be.above(STOP_SECONDS + sleep);
    }
  });

  it('spreads the new pods of a rollout over the nodes, and does not count the old ones', () => {
    for (const [name, , manifests] of deployed()) {
      const { topologySpreadConstraints } = podIn(manifests, name);
      expect(topologySpreadConstraints, name).to.deep.equal([
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
          matchLabelKeys: ['pod-template-hash'],
        },
      ]);
    }
  });

  it('selects the pods of one Deployment only, and lets drains evict pods that are not ready', () => {
    for (const [name, service, manifests] of deployed()) {
      const label = { 'app.kubernetes.io/name': name };
      const { template, selector } = manifestOf(manifests, 'Deployment', name).spec;
      expect(template.metadata.labels).to.include(label);
      expect(selector.matchLabels).to.deep.equal(label);
      expect(manifestOf(manifests, 'PodDisruptionBudget', name).spec).to.deep.include({
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: { matchLabels: label },
      });
      const ports = new Set(Object.keys(PORTS[service]));
      const policy = manifestOf(manifests, 'NetworkPolicy', name).spec;
      expect(policy.podSelector.matchLabels).to.deep.equal(label);
      for (const rule of policy.ingress ?? [])
        for (const { port } of rule.ports) expect(ports).to.include(port);
      const own = manifests.filter(
        ({ kind, metadata }) => kind === 'Service' && metadata.labels?.['app.kubernetes.io/name'] === name,
      );
      expect(own.length, name).to.be.at.least(1);
      for (const { spec } of own) {
        expect(spec.selector).to.deep.equal(label);
        for (const { targetPort } of spec.ports) expect(ports).to.include(targetPort);
      }
    }
  });

  it('scales the query service, but never down to one pod', () => {
    const { scaleTargetRef, minReplicas } = manifestOf(
      rendered().example,
      'HorizontalPodAutoscaler',
      'query',
    ).spec;
    expect(scaleTargetRef).to.include({ kind: 'Deployment', name: 'query' });
    expect(minReplicas).to.be.at.least(2);
  });
});
