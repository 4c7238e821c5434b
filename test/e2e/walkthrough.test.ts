import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { addressesOf, eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/start/publish-an-event.md';
/** The origin in the page's commands, which the test replaces. */
const ORIGIN = 'http://localhost:8080';
const TOPIC = 'marketplace.listing-events';

interface Step {
  command: string;
  /** Lines that the page shows as output. A line that contains only `…` replaces omitted lines. */
  output: string[];
}

/** The commands of a page (`sh` blocks) in their order, each with the block of output that follows it. */
function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, content]) => ({
    language,
    content: content ?? '',
  }));
  return blocks.flatMap(({ language, content }, index) => {
    const next = blocks[index + 1];
    return language === 'sh'
      ? [{ command: content, output: next?.language === '' ? next.content.trimEnd().split('\n') : [] }]
      : [];
  });
}

/** The first line of the page's output that the actual output lacks, in the given order. */
function missing(expected: readonly string[], actual: string): string | undefined {
  let from = 0;
  return expected
    .filter((line) => line.trim() !== '…')
    .find((line) => {
      const found = actual.indexOf(line, from);
      from = found + line.length;
      return found < 0;
    });
}

describe(`walkthrough: ${PAGE}`, () => {
  const steps = stepsOf(readFileSync(join(ROOT, PAGE), 'utf8'));
  const services: ServiceProcess[] = [];
  let deployment: Deployment;
  let origin: string;

  /** Runs the command as the page shows it, with the addresses of this test's deployment. */
  const run = async ({ command }: Step): Promise<string> => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', command.replaceAll(ORIGIN, origin)], {
      cwd: ROOT,
      env: { ...process.env, ...deployment.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return (stdout + stderr).replaceAll(deployment.topic, TOPIC);
  };

  before(async () => {
    deployment = await createDeployment('walkthrough');
    services.push(startService('projector', deployment.env));
    const query = startService('query', { ...deployment.env, LOG_LEVEL: 'info' });
    services.push(query);
    ({ origin } = await addressesOf(query));
    await eventually(
      'the feed is available',
      async () => (await fetch(`${origin}/api/public-feed`)).status === 200,
      60_000,
    );
  });
  after(async () => {
    for (const service of services) await service.end('SIGTERM');
    await deployment.close();
  });

  it("publishes three events and shows each command's output", () => {
    expect(steps.filter(({ command }) => command.includes('publish-event'))).to.have.length(3);
    for (const { command, output } of steps) expect(output, command).to.not.be.empty;
  });

  for (const [index, step] of steps.entries()) {
    const [firstLine = ''] = step.command.split('\n');
    it(`shows what command ${index + 1} prints: ${firstLine}`, async () => {
      // Publish only once. The other commands show the effect of an event that may still be in flight.
      if (step.command.includes('publish-event'))
        return expect(missing(step.output, await run(step))).to.equal(undefined);
      let actual = '';
      const matches = async () => {
        actual = await run(step);
        return missing(step.output, actual) === undefined;
      };
      await eventually('the output on the page', matches, 120_000, 500).catch(() =>
        expect.fail(`the output lacks ${JSON.stringify(missing(step.output, actual))}:\n${actual}`),
      );
    });
  }
});
