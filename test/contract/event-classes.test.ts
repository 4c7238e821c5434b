import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findExecutable, findJavas, pickJava } from '@vitrine/engines/testing';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { installOnce } from '../support/install-once.ts';
import { pythonPackages } from '../support/python.ts';
import { runToEnd } from '../support/run-to-end.ts';
import { addressesOf, eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/start/event-classes.md';
/** The origin in the page, which the test replaces. */
const ORIGIN = 'http://localhost:8080';

const MAVEN = ['--batch-mode', '--quiet', '--strict-checksums', 'dependency:copy-dependencies', '--file'];

const page = readFileSync(join(ROOT, PAGE), 'utf8');
const [, python = '', java = ''] = page.split(/^## (?:Python|Java)$/m);

/** The code blocks of a section in one language. */
const blocks = (section: string, language: string): string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
const block = (section: string, language: string): string => blocks(section, language)[0] ?? '';
const wordsOf = (command: string) => command.trim().split(/\s+/) as [string, ...string[]];

/** Runs the page's commands and programs against the real services. */
describe(`contract: classes that generators build, ${PAGE}`, () => {
  const services: ServiceProcess[] = [];
  let deployment: Deployment;
  let origin: string;
  let folder: string;

  before(async () => {
    deployment = await createDeployment('event-classes');
    services.push(startService('projector', deployment.env));
    const query = startService('query', { ...deployment.env, LOG_LEVEL: 'info' });
    services.push(query);
    ({ origin } = await addressesOf(query));
    await eventually(
      'the feed is available',
      async () => (await fetch(`${origin}/api/public-feed`)).status === 200,
      120_000,
    );
    folder = await mkdtemp(join(tmpdir(), 'vitrine-event-classes-'));
  });
  after(async () => {
    for (const service of services) await service.end('SIGTERM');
    await deployment?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  const succeed = async (command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { code, output } = await runToEnd(command, args, { cwd: folder, env: { ...process.env, ...env } });
    expect(code, `${command} ${args.join(' ')}\n${output.slice(-5_000)}`).to.equal(0);
    return output;
  };
  const write = async (name: string, content: string): Promise<void> =>
    writeFile(join(folder, name), content.replaceAll(ORIGIN, origin));

  /** Publishes the events, and waits for the feed that they describe. */
  const expectInFeed = async (lines: string, id: string): Promise<void> => {
    const events = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; subject: string });
    expect(events.map(({ type }) => type.replace('marketplace.listing.', ''))).to.deep.equal([
      'snapshot',
      'changed',
      'availability_changed',
      'removed',
    ]);
    await deployment.publish(events.map((event) => ({ key: event.subject, value: JSON.stringify(event) })));
    await deployment.caughtUp();
    expect(await deployment.deadLetterCount()).to.equal(0);
    const item = (await deployment.items()).get(id);
    expect(item?.feed_item).to.deep.include({ title: 'Casa na praia', price: 380 });
    expect(item?.calendar).to.have.length(1);
    const readFeed = async () => {
      const { data } = (await (await fetchAccepted(`${origin}/api/ai-feed/rent`)).json()) as {
        data: { id: string }[];
      };
      return data.map((listing) => listing.id);
    };
    await eventually('the listing is in the feed', async () => (await readFeed()).includes(id), 120_000);
  };

  it('Python: the projector accepts an event of each type, and the listing is in the feed', async function () {
    const [install = '', generate = ''] = blocks(python, 'sh');
    const [, , ...packages] = wordsOf(install);
    const found = await pythonPackages(`event-classes-${packages.join('-')}`, packages);
    if ('missing' in found) {
      process.stderr.write(`# skipped: Python cannot generate classes. ${found.missing}\n`);
      return this.skip();
    }
    const env = {
      PATH: `${found.programs}${delimiter}${process.env.PATH}`,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    await succeed('sh', ['-e', '-c', generate.replaceAll(ORIGIN, origin)], env);
    await write('publish.py', block(python, 'python'));
    await expectInFeed(await succeed('python3', ['publish.py'], env), 'python-house');
  }).timeout(600_000);

  it('Java: the projector accepts an event of each type, and the listing is in the feed', async function () {
    const jdk = pickJava(await findJavas(process.env, false));
    const pom =
      '<project><modelVersion>4.0.0</modelVersion><groupId>vitrine</groupId><artifactId>events</artifactId>' +
      `<version>1</version><dependencies>${block(java, 'xml')}</dependencies></project>`;
    await write('pom.xml', pom);
    const [npm, ...packages] = wordsOf(block(java, 'sh'));
    const mvn = await findExecutable('mvn', process.env);
    const found =
      jdk && mvn !== undefined
        ? await installOnce(
            `event-classes-${createHash('sha256').update(pom).update(packages.join()).digest('hex').slice(0, 12)}`,
            (cache) => [
              [mvn, ...MAVEN, join(folder, 'pom.xml'), `-DoutputDirectory=${join(cache, 'jars')}`],
              [npm, ...packages, '--prefix', cache, '--ignore-scripts', '--no-audit', '--no-fund'],
            ],
            { ...process.env, JAVA_HOME: jdk.home },
          )
        : { missing: 'It needs Java 21 or newer, and Maven.' };
    if ('missing' in found || !jdk) {
      process.stderr.write(
        `# skipped: Java cannot compile classes. ${'missing' in found && found.missing}\n`,
      );
      return this.skip();
    }
    const program = (name: string) => join(jdk.home, 'bin', name);
    const jars = join(found.folder, 'jars', '*');
    await symlink(join(found.folder, 'node_modules'), join(folder, 'node_modules'));
    await write('generate.mjs', block(java, 'js'));
    await succeed(process.execPath, ['generate.mjs']);
    await write('Publish.java', block(java, 'java'));
    await succeed('sh', [
      '-e',
      '-c',
      `'${program('javac')}' -cp '${jars}' -d classes listing/*.java Publish.java`,
    ]);
    const output = await succeed(program('java'), ['-cp', `classes${delimiter}${jars}`, 'Publish']);
    await expectInFeed(output, 'java-house');
  }).timeout(600_000);
});
