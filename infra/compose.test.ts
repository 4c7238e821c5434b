import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameDistribution } from '@vitrine/engines/testing';
import { npmCommand } from '@vitrine/test/service-process';
import { expect } from 'chai';
import { DockerfileParser } from 'dockerfile-ast';
import { parse } from 'yaml';
import {
  bytes,
  expectSettings,
  MIB,
  neededBytes,
  PORTS,
  PROJECTOR,
  QUERY,
  STOP_SECONDS,
} from './deployment-limits.ts';

const here = (path: string): string => join(import.meta.dirname, path);
const read = (path: string): string => readFileSync(here(path), 'utf8');

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
