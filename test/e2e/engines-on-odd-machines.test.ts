import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EnginesError, startEngines } from '@vitrine/engines';
import { cacheFolder, ENGINES, findDistribution, findExecutable } from '@vitrine/engines/testing';
import { expect } from 'chai';

const isRoot = process.geteuid?.() === 0;
/** A valid zip archive without entries. */
const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)]);

const hash = (algorithm: string, content: Buffer): string =>
  createHash(algorithm).update(content).digest('hex');

describe('the engines as JVMs on unusual machines', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;

  before(async function () {
    if ((await findExecutable('mvn', process.env)) === undefined) this.skip();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-machine-'));
    await chmod(folder, 0o755); // root's engines run as another user, which must be able to read this folder
    env = {
      ...process.env,
      VITRINE_ENGINES: 'java',
      VITRINE_CACHE: join(folder, 'cache'),
      KAFKA_BROKERS: '',
      ELASTICSEARCH_URL: '',
    };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Puts a program first on the PATH, so that it replaces every other program of this name. */
  async function replaceProgram(name: string, script: string): Promise<void> {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    env['PATH'] = `${folder}${delimiter}${process.env['PATH']}`;
  }

  async function refusal(): Promise<string> {
    const outcome = await startEngines({ env }).then(
      (engines) => engines.stop().then(() => 'started'),
      (error: unknown) => error,
    );
    expect(outcome).to.be.instanceOf(EnginesError);
    return (outcome as EnginesError).message;
  }

  /** Copies the downloaded engines of this machine into a new cache, which saves a download. */
  async function copyDistribution(cache: string): Promise<void> {
    const distribution = await findDistribution(ENGINES, cacheFolder(process.env, isRoot), process.env);
    if (distribution !== undefined) {
      await mkdir(cache, { recursive: true });
      if (isRoot) await chmod(cache, 0o755);
      const source = dirname(distribution.kafkaLibs);
      try {
        execFileSync('cp', ['-al', source, cache], { stdio: 'ignore' });
      } catch {
        execFileSync('cp', ['-a', source, cache]); // A hard link cannot cross disks.
      }
    }
  }

  async function startKafka(cache: string): Promise<void> {
    const engines = await startEngines({
      env: { ...env, VITRINE_CACHE: cache, ELASTICSEARCH_URL: 'http://127.0.0.1:9' },
    });
    try {
      expect(engines.source.kafka).to.equal('java');
      expect(engines.folder?.startsWith(cache)).to.equal(true);
    } finally {
      await engines.stop();
    }
  }

  it('start under umask 077, even as root, in a cache folder with a space and letters beyond ASCII', async () => {
    const cache = join(folder, 'José ção');
    await copyDistribution(cache);
    const umask = process.umask(0o077);
    try {
      await startKafka(cache);
    } finally {
      process.umask(umask);
    }
  });

  it('name the folder and the setting to change if the disk has too little free space', async function () {
    const small = join(folder, 'small');
    await mkdir(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=755', 'tmpfs', small], { stdio: 'ignore' });
    } catch {
      this.skip(); // Only root can mount, and some containers forbid even that.
    }
    env['VITRINE_CACHE'] = join(small, 'cache');
    try {
      expect(await refusal())
        .to.include(`The disk that holds ${small}/cache does not have enough free space`)
        .and.to.include('VITRINE_CACHE');
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it('are downloaded with the detected Java if JAVA_HOME is wrong', async () => {
    env['JAVA_HOME'] = '/nowhere';
    await replaceProgram(
      'mvn',
      'test -x "$JAVA_HOME/bin/java" && echo "[ERROR] Java works" || echo "[ERROR] JAVA_HOME is ' +
        '$JAVA_HOME"\nexit 1',
    );
    expect(await refusal()).to.match(/Maven could not download .*\nJava works$/);
  });

  describe('whose download contains a wrong file', () => {
    const version = `0.0.0-vitrine-${randomBytes(4).toString('hex')}`;
    const elasticsearch = 'org/elasticsearch/distribution/integ-test-zip/elasticsearch';
    const log4j = 'org/apache/logging/log4j/log4j-slf4j-impl';

    async function publish(
      path: string,
      type: string,
      content: Buffer,
      sha1 = hash('sha1', content),
    ): Promise<void> {
      const file = join(folder, 'repository', path, version, `${path.split('/').at(-1)}-${version}.${type}`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      await writeFile(`${file}.sha1`, sha1);
    }

    /** Makes Maven read artifacts of this test's version from this test's own repository. */
    async function useRepository(...properties: string[]): Promise<void> {
      const settings = join(folder, 'settings.xml');
      const repository = `<repository><id>vitrine-test</id><url>${pathToFileURL(join(folder, 'repository'))}</url></repository>`;
      await writeFile(
        settings,
        `<settings><profiles><profile><id>test</id><repositories>${repository}</repositories></profile></profiles>
         <activeProfiles><activeProfile>test</activeProfile></activeProfiles></settings>`,
      );
      const mvn = await findExecutable('mvn', process.env);
      const wanted = [
        `elasticsearch.version=${version}`,
        `elasticsearch.sha512=${hash('sha512', EMPTY_ZIP)}`,
        ...properties,
      ];
      await replaceProgram(
        'mvn',
        `exec "${mvn}" -s "${settings}" ${wanted.map((property) => `-D${property}`).join(' ')} "$@"`,
      );
    }

    after(async () => {
      for (const path of [elasticsearch, log4j])
        await rm(join(homedir(), '.m2/repository', path, version), { recursive: true, force: true });
    });

    it('are refused if the SHA-512 of Elasticsearch is not the pinned one, even if the repository confirms it', async () => {
      await useRepository();
      await publish(elasticsearch, 'zip', Buffer.from('not the archive'));
      expect(await refusal())
        .to.include(`sha512 hash of`)
        .and.to.include(`but expected ${hash('sha512', EMPTY_ZIP)}`);
    });

    it('are refused if a jar does not match its checksum in the repository', async () => {
      await useRepository(`log4j.version=${version}`);
      await publish(elasticsearch, 'zip', EMPTY_ZIP);
      const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>${version}</version></project>`;
      await publish(log4j, 'pom', Buffer.from(pom));
      await publish(log4j, 'jar', EMPTY_ZIP, hash('sha1', Buffer.from('another jar')));
      expect(await refusal()).to.match(/log4j-slf4j-impl:jar.*[Cc]hecksum validation failed/s);
    });
  });
});
