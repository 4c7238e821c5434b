import { expect } from 'chai';
import { runCli } from './program.ts';

const run = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
  let [stdout, stderr] = ['', ''];
  const code = await runCli(args, {
    env: { LOG_LEVEL: 'silent', ...env },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
};

describe("the operator's command line", () => {
  it('lists its commands and exit codes', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).to.equal(0);
    for (const command of [
      'status',
      'replay',
      'verify',
      'switch',
      'rollback',
      'prune',
      'explain',
      'dead-letters',
      'topics',
      '--json',
      'Exit codes',
    ])
      expect(stdout).to.include(command);
    expect((await run(['replay', '--help'])).stdout).to.match(
      /--from.*--rate.*--incomplete-log.*resume.*cancel/s,
    );
    expect((await run(['dead-letters', '--help'])).stdout).to.match(/list.*show.*retry/s);
    expect((await run(['topics', '--help'])).stdout).to.match(/check.*create/s);
  });

  for (const args of [
    ['nonsense'],
    ['replay', '--rate', '0'],
    ['replay', '--from', 'memory'],
    ['replay', '--workers', '0'],
    ['replay', '--workers', '65'],
    ['replay', 'resume', '--workers', '1000'],
    ['replay', '--incomplete-log', 'resume'],
    ['replay', '--workers', '3', 'join', '2'],
    ['replay', '--rate', '10', 'cancel'],
    ['switch', 'x'],
    ['switch', '--allow-diff', '-1'],
    ['explain'],
    ['verify', '1', '2'],
    ['topics', 'create', '--partitions', '0'],
  ])
    it(`refuses ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await run(args);
      expect(code).to.equal(2);
      expect(stderr).to.match(/error: .*\n\(--help lists the commands and options\)/s);
      expect(stdout).to.equal('');
    });

  it('accepts the rate and the workers of resume before its name', async () => {
    const { stderr } = await run(['replay', '--rate', '10', '--workers', '2', 'resume']);
    expect(stderr).to.include('ELASTICSEARCH_URL is not set');
  });

  it('repeats no address with a password', async () => {
    const { code, stderr } = await run(['changes', 'tail'], { PUBLIC_URL: 'htps://u:hunter2@host' });
    expect([code, stderr.includes('PUBLIC_URL'), stderr.includes('hunter2')]).to.deep.equal([2, true, false]);
  });

  it('names every setting that is missing or bad', async () => {
    const { code, stderr } = await run(['status'], { KAFKA_BROKERS: 'nowhere' });
    expect(code).to.equal(2);
    expect(stderr).to.match(/ELASTICSEARCH_URL is not set.*KAFKA_BROKERS="nowhere"/s);
  });

  it('needs no Elasticsearch for commands about topics', async () => {
    const { code, stderr } = await run(['topics', 'check']);
    expect(code).to.equal(2);
    expect(stderr).to.include('KAFKA_BROKERS is not set').and.not.include('ELASTICSEARCH_URL');
  });

  it('names the engine that does not respond, and its address', async () => {
    const { code, stderr } = await run(['status'], {
      ELASTICSEARCH_URL: 'http://127.0.0.1:9',
      KAFKA_BROKERS: '127.0.0.1:9',
    });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^Elasticsearch does not respond at http:\/\/127\.0\.0\.1:9: /);
  });
});
