import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EnginesError } from '../engine-control.ts';
import { downloadDistribution, nameDistribution, partialName, sweepDownloads } from './distribution.ts';
import { CONNECT, ENGINES, REGISTRY } from './distributions.ts';

const pom =
  '<kafka.version>4.2.0</kafka.version><kafka.versions>4.2.0 4.1.2</kafka.versions>' +
  '<elasticsearch.version>9.5.0</elasticsearch.version>';

describe('the downloaded distribution', () => {
  it('is named after the versions and the content of the pom', () => {
    const { versions, folder } = nameDistribution(ENGINES, pom);
    expect(versions).to.deep.equal({ kafka: '4.2.0', elasticsearch: '9.5.0' });
    expect(folder).to.match(/^kafka-4\.2\.0-elasticsearch-9\.5\.0-[0-9a-f]{8}$/);
    const older = nameDistribution(ENGINES, pom, { VITRINE_KAFKA_VERSION: '4.1.2' });
    expect(older.folder).to.match(/^kafka-4\.1\.2-/);
    expect(nameDistribution(ENGINES, `${pom}<!-- another jar -->`).folder).not.to.equal(folder);
  });

  it('refuses a pom without versions', () => {
    expect(() => nameDistribution(ENGINES, '<project/>')).to.throw(EnginesError, 'kafka.version');
  });

  it('has a folder of its own for Connect and for the registry', () => {
    const nameOf = (one: typeof CONNECT | typeof REGISTRY): string =>
      nameDistribution(one, readFileSync(one.pom, 'utf8')).folder;
    expect(nameOf(CONNECT)).to.match(/^connect-[\d.]+-debezium-[\d.]+Final-[0-9a-f]{8}$/);
    expect(nameOf(REGISTRY)).to.match(/^registry-[\d.]+-[0-9a-f]{8}$/);
  });

  it('has the same Kafka for Connect as for the brokers', () => {
    const { kafka } = ENGINES.versions(readFileSync(ENGINES.pom, 'utf8'), {});
    expect(CONNECT.versions(readFileSync(CONNECT.pom, 'utf8'), {})).to.include({ connect: kafka });
  });
});

describe('a download that another process has begun', () => {
  let cache: string;
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'vitrine-cache-'));
  });
  afterEach(() => rm(cache, { recursive: true }));

  const { folder } = nameDistribution(ENGINES, readFileSync(ENGINES.pom, 'utf8'));
  const leave = async (name: string, ageMs: number): Promise<void> => {
    await mkdir(join(cache, name));
    const then = new Date(Date.now() - ageMs);
    await utimes(join(cache, name), then, then);
  };
  /** Starts a download with a Maven that always fails, so that its failure shows that the wait has ended. */
  const download = (onProgress: (message: string) => void, signal?: AbortSignal) =>
    downloadDistribution(ENGINES, {
      cache,
      mvn: 'false',
      javaHome: '/java',
      env: process.env,
      forOthers: false,
      onProgress,
      signal,
    }).catch(String);

  it('makes this process wait while the other process is alive', async () => {
    await leave(partialName(folder), 1_000);
    const interrupt = new AbortController();
    const failure = await download(() => interrupt.abort(new Error('waits')), interrupt.signal);
    expect(failure).to.match(/AbortError|waits/);
  });

  it('is ignored after the death of its process, even if another process has the same id', async () => {
    await leave(`${folder}.${process.ppid}.abcdef.partial`, 60_000);
    await leave(partialName(folder), 60_000);
    const messages: string[] = [];
    expect(await download((message) => messages.push(message))).to.include('Maven could not download');
    expect(messages.join()).to.match(/^Downloading/);
  });

  it('is deleted with its log after a while', async () => {
    const [dead, live] = [partialName(folder), partialName(folder)];
    await leave(dead, 3_600_000);
    await leave(`${dead}.log`, 3_600_000);
    await leave('kafka-3.0.0-elasticsearch-8.0.0-12345678.4711.abcdef.partial', 3_600_000);
    await leave(live, 1_000);
    await leave(folder, 3_600_000);
    await sweepDownloads(cache);
    expect((await readdir(cache)).toSorted()).to.deep.equal([folder, live].toSorted());
  });
});
