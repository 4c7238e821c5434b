import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseVersions, connectSettings } from '@vitrine/engines/testing';
import { SIMPLE_DATABASE_SCHEMA } from '@vitrine/fixtures';
import { expect } from 'chai';
import { DockerfileParser } from 'dockerfile-ast';
import { parse } from 'yaml';
import {
  bytes,
  expectSettings,
  INGEST,
  MIB,
  neededBytes,
  PORTS,
  PROJECTOR,
  QUERY,
  STOP_SECONDS,
} from './deployment-limits.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

interface ComposeService {
  pull_policy?: string;
  security_opt?: string[];
  tmpfs?: string[];
  profiles?: string[];
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

interface ScrapeFile {
  rule_files: string[];
  scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
}

/** The file as Compose reads it without variables, or with the given ones. */
const load = (variables: Record<string, string> = {}) =>
  parse(
    read('compose.yaml').replaceAll(
      /\$\{(\w+):-([^}]*)\}/g,
      (_all, name: string, preset: string) => variables[name] ?? preset,
    ),
    { merge: true },
  ) as { services: Record<string, ComposeService>; volumes: object };

describe('compose.yaml', () => {
  const { services, volumes } = load();
  const ours = {
    topics: 'cli',
    projector: 'projector',
    query: 'query',
    cli: 'cli',
    demo: 'demo',
    site: 'demo',
    ingest: 'ingest',
  } as const;
  const of = (name: string): ComposeService => services[name] as ComposeService;

  it('gives each service complete and valid settings', () => {
    const known = { projector: PROJECTOR, query: QUERY, ingest: INGEST };
    for (const name of ['topics', 'projector', 'query', 'cli', 'ingest']) {
      const service = name === 'query' || name === 'ingest' ? name : 'projector';
      const env = Object.fromEntries(
        Object.entries(of(name).environment ?? {}).map(([key, value]) => [key, String(value)]),
      );
      expectSettings(service, env, known[service]);
    }
    expect(of('projector').environment).to.include({
      KAFKA_BROKERS: 'kafka:9092',
      ELASTICSEARCH_URL: 'http://elasticsearch:9200',
    });
  });

  it('builds each image of this version from a target of the Dockerfile, and never pulls it', () => {
    const stages = DockerfileParser.parse(read('infra/docker/Dockerfile'))
      .getFROMs()
      .map((from) => from.getBuildStage());
    for (const [name, target] of Object.entries(ours)) {
      const { build, image, pull_policy, entrypoint } = of(name);
      expect(image).to.equal(`vitrine/${target}:${version}`);
      expect(stages).to.include(target);
      expect(entrypoint, name).to.equal(undefined);
      expect(pull_policy, name).to.equal(name === 'cli' ? 'never' : 'build');
      if (name === 'cli') continue;
      expect(build).to.include({ context: '.', dockerfile: 'infra/docker/Dockerfile', target });
    }
  });

  it('runs the same engines as the tests', () => {
    const { kafka, elasticsearch } = chooseVersions(read('infra/engines/pom.xml'), {});
    expect(of('kafka').image).to.equal(`apache/kafka:${kafka}`);
    expect(of('elasticsearch').image).to.equal(`elasticsearch:${elasticsearch}`);
    const [, postgres] = /^\| PostgreSQL\b.*\| ([\d.]+)/m.exec(read('docs/operate/versions.md')) ?? [];
    expect(of('postgres').image).to.equal(`postgres:${postgres}`);
  });

  it('runs Connect and the database of npm run start:database in the profile database', () => {
    for (const name of ['postgres', 'connect', 'connector', 'ingest'])
      expect(of(name).profiles, name).to.deep.equal(['database']);
    expect(of('connect').image).to.equal(`vitrine/connect:${version}`);
    // The links and pictures of the listings lead to the website.
    expect(of('site').profiles).to.deep.equal(['demo', 'database']);
    expect(of('postgres').environment?.['SITE_URL']).to.equal('http://localhost:8092');
    expect(read('infra/postgres/marketplace.sql')).not.to.include('https://');
    const written = read('infra/connect/worker.properties').match(/^[^#\n]+$/gm) ?? [];
    const settings = connectSettings('kafka:9092', 'vitrine-connect');
    expect(written).to.include.members(Object.entries(settings).map(([name, value]) => `${name}=${value}`));
    expect(written).to.have.length(Object.keys(settings).length + 2);
    expect(read('infra/postgres/marketplace.sql')).to.include(SIMPLE_DATABASE_SCHEMA.trim());
  });

  it('limits memory above the heap limit, and gives each service time to stop', () => {
    for (const [name, { mem_limit = '' }] of Object.entries(services))
      expect(bytes(mem_limit), name).to.be.above(0);
    for (const name of ['projector', 'query', 'ingest'] as const)
      expect(bytes(of(name).mem_limit ?? ''), name).to.be.at.least(neededBytes(name));
    for (const name of Object.keys(ours))
      expect(Number.parseInt(of(name).stop_grace_period ?? '', 10), name).to.be.above(STOP_SECONDS);
    expect(bytes(of('elasticsearch').mem_limit ?? '')).to.be.at.least(
      2 * bytes(/-Xmx(\w+)/.exec(of('elasticsearch').environment?.ES_JAVA_OPTS ?? '')?.[1] ?? ''),
    );
  });

  it('takes the memory limit of the query service from QUERY_MEMORY, and the documents have the rule', () => {
    expect(load({ QUERY_MEMORY: '1920m' }).services.query?.mem_limit).to.equal('1920m');
    const rows = [...read('docs/start/quick-start.md').matchAll(/^\| (\d+) \| `(\d+m)`/gm)];
    expect(rows).to.have.length.above(2);
    for (const [, processes, memory] of rows) expect(memory).to.equal(`${384 + 384 * Number(processes)}m`);
  });

  it('runs each container without root, capabilities and a writable file system', () => {
    for (const [name, service] of Object.entries(services))
      expect(service, name).to.deep.include({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
  });

  it("covers the volumes that Kafka's image declares, so that `down` leaves none without a name", () => {
    const { tmpfs = [], volumes: mounts = [] } = of('kafka');
    const covered = [
      ...tmpfs.map((mount) => mount.split(':')[0]),
      ...mounts.map((mount) => mount.split(':')[1]),
    ];
    expect(covered).to.include.members(['/etc/kafka/secrets', '/var/lib/kafka/data', '/mnt/shared/config']);
  });

  it("limits each container's log", () => {
    for (const [name, { logging }] of Object.entries(services)) {
      expect(logging?.driver, name).to.equal('json-file');
      const { 'max-size': size = '', 'max-file': files = '' } = logging?.options ?? {};
      expect(bytes(size) * Number(files), name).to.be.within(10 * MIB, 100 * MIB);
    }
  });

  it('publishes every port only on this machine, under a variable that the quick start describes', () => {
    expect(of('projector').ports).to.deep.equal([
      `127.0.0.1:${PORTS.projector.admin}:${PORTS.projector.admin}`,
    ]);
    expect(of('query').ports).to.deep.equal([
      `127.0.0.1:8080:${PORTS.query.http}`,
      `127.0.0.1:${PORTS.query.admin}:${PORTS.query.admin}`,
    ]);
    const raw = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, ComposeService> };
    const documented = read('docs/start/quick-start.md');
    for (const [name, { ports = [] }] of Object.entries(raw.services))
      for (const mapping of ports) {
        const [, variable = ''] =
          /^(?:127\.0\.0\.1|\$\{FEED_ADDRESS:-127\.0\.0\.1\}):\$\{(\w+):-\d+\}:\d+$/.exec(mapping) ?? [];
        expect(variable, `${name}: ${mapping}`).to.match(/_PORT$/);
        expect(documented).to.include(`\`${variable}\``);
      }
    expect(load({ FEED_ADDRESS: '0.0.0.0', FEED_PORT: '80' }).services.query?.ports?.[0]).to.equal(
      '0.0.0.0:80:8080',
    );
    expect(load({ KAFKA_PORT: '29092' }).services.kafka?.environment?.KAFKA_ADVERTISED_LISTENERS).to.include(
      'HOST://localhost:29092',
    );
  });

  it('scrapes the admin ports with the jobs and rules of infra/prometheus, and provisions the dashboard', () => {
    const scraped = parse(read('infra/prometheus/compose.yaml')) as ScrapeFile;
    const example = parse(read('infra/prometheus/prometheus.yaml')) as ScrapeFile;
    const jobs = ({ scrape_configs }: ScrapeFile) => scrape_configs.map(({ job_name }) => job_name);
    expect(jobs(scraped)).to.deep.equal(jobs(example));
    expect(scraped.rule_files).to.deep.equal(example.rule_files);
    expect(scraped.scrape_configs.flatMap(({ static_configs: [one] }) => one?.targets)).to.deep.equal(
      (['projector', 'query', 'ingest'] as const).map((name) => `${name}:${PORTS[name].admin}`),
    );
    const folder = 'infra/grafana/provisioning';
    const { providers } = parse(read(`${folder}/dashboards/vitrine.yaml`)) as {
      providers: { options: { path: string } }[];
    };
    expect(of('grafana').volumes).to.include(
      `./infra/grafana/vitrine.json:${providers[0]?.options.path}/vitrine.json:ro`,
    );
    const { datasources } = parse(read(`${folder}/datasources/prometheus.yaml`)) as {
      datasources: { url: string }[];
    };
    expect(datasources.map(({ url }) => url)).to.deep.equal(['http://prometheus:9090']);
    for (const name of ['prometheus', 'grafana']) expect(of(name).profiles).to.deep.equal(['observability']);
  });

  it("waits only for services with a health check, and keeps the engines' data", () => {
    for (const [name, service] of Object.entries(services))
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(services, name).to.have.property(other);
        if (condition === 'service_healthy') expect(of(other).healthcheck?.test, other).to.be.an('array');
      }
    const mounted = Object.values(services)
      .flatMap(({ volumes: list = [] }) => list.map((volume) => volume.split(':')[0] ?? ''))
      .filter((source) => !source.startsWith('.'));
    expect(mounted.sort()).to.deep.equal(Object.keys(volumes).sort());
  });
});
