import { GenerationError } from '@vitrine/feed-index';
import { SettingsError } from '@vitrine/runtime/settings';
import { expect } from 'chai';
import { DeadLetterError } from '../dead-letters/dead-letter-ref.ts';
import { runCli } from './program.ts';
import { type Outcome, runCommand } from './run-command.ts';

const capture = (env: NodeJS.ProcessEnv = {}, isTTY = false) => {
  const written = { stdout: '', stderr: '' };
  return {
    written,
    env: { LOG_LEVEL: 'silent', ...env },
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { isTTY, write: (text: string) => (written.stderr += text) },
  };
};

/** Runs a command that executes `work` and needs no engines. */
const runWork = async (
  asJson: boolean,
  work: () => Promise<Outcome>,
  signal = new AbortController().signal,
) => {
  const { written, ...environment } = capture();
  const open = async () => ({ context: {}, close: async () => undefined });
  const code = await runCommand({ ...environment, signal }, asJson, open, work);
  return { code, ...written };
};

const run = async (args: string[], env?: NodeJS.ProcessEnv) => {
  const { written, ...environment } = capture(env);
  const code = await runCli(args, { ...environment, signal: new AbortController().signal });
  return { code, ...written };
};

describe('--json', () => {
  const refusal = (error: Error) => async (): Promise<Outcome> => {
    throw error;
  };

  for (const [error, code, kind] of [
    [new GenerationError('generation 2 has no verification result'), 3, 'refused'],
    [new DeadLetterError('no dead letter 1:1'), 3, 'refused'],
    [new SettingsError(['PORT is wrong']), 2, 'usage'],
    [new Error('a broker is gone'), 1, 'failed'],
  ] as const) {
    it(`prints an error of kind ${kind} (${error.name}) once, to standard output`, async () => {
      const result = await runWork(true, refusal(error));
      expect(result).to.include({ code, stderr: '' });
      expect(JSON.parse(result.stdout)).to.deep.equal({ error: { kind, message: error.message } });
    });

    it(`prints one line on standard error for an error of kind ${kind} (${error.name}) if it is absent`, async () => {
      expect(await runWork(false, refusal(error))).to.deep.equal({
        code,
        stdout: '',
        stderr: `${error.message}\n`,
      });
    });
  }

  it('prints an interrupted command as an error', async () => {
    const { code, stdout, stderr } = await runWork(true, refusal(new Error('aborted')), AbortSignal.abort());
    expect({ code, stderr, ...JSON.parse(stdout) }).to.deep.equal({
      code: 130,
      stderr: '',
      error: { kind: 'interrupted', message: 'interrupted' },
    });
  });

  it('prints the result of a negative answer', async () => {
    const { code, stdout } = await runWork(true, async () => ({
      json: { found: false },
      text: 'not found',
      refused: true,
    }));
    expect({ code, ...JSON.parse(stdout) }).to.deep.equal({ code: 3, found: false });
  });

  for (const args of [
    ['nonsense'],
    [],
    ['replay', '--rate', '0'],
    ['replay', '--from', 'memory'],
    ['replay', 'resume', '--rate', 'x'],
    ['replay', 'cancel', 'x'],
    ['verify', '1', '2'],
    ['switch', 'x'],
    ['rollback', 'x'],
    ['prune', 'x'],
    ['status', 'x'],
    ['explain'],
    ['listings'],
    ['reconcile', '--source=x', '--settle=86401'],
    ['listings', '--hidden', 'x'],
    ['listings', '--dropped', 'title'],
    ['listings', '--hidden', '--dropped'],
    ['listings', '--superseded', 'x'],
    ['listings', '--hidden', '--source=/s'],
    ['listings', '--hidden', '--all', '--limit=1'],
    ['dead-letters'],
    ['dead-letters', 'list', '--limit', '0'],
    ['dead-letters', 'show'],
    ['dead-letters', 'retry', 'a', 'b'],
    ['changes'],
    ['changes', 'tail', '--after', '-1'],
    ['changes', 'tail', '--after', '9007199254740992'],
    ['changes', 'tail', '--url', 'ftp://a'],
    ['export'],
    ['topics', 'check', '--unknown'],
    ['topics', 'create', '--partitions', '0'],
  ])
    it(`prints the usage error of "${args.join(' ')}", before and after the command`, async () => {
      for (const line of [
        [...args, '--json'],
        ['--json', ...args],
      ]) {
        const { code, stdout, stderr } = await run(line);
        expect({ code, stderr }).to.deep.equal({ code: 2, stderr: '' });
        const { error } = JSON.parse(stdout) as { error: { kind: string; message: string } };
        expect(error.kind).to.equal('usage');
        expect(error.message).to.be.a('string').and.not.equal('');
      }
    });

  for (const command of [
    ['status'],
    ['explain', 'a'],
    ['replay'],
    ['replay', 'resume'],
    ['replay', 'cancel'],
    ['verify'],
    ['verify', '--self'],
    ['switch'],
    ['rollback'],
    ['prune'],
    ['listings', '--hidden'],
    ['dead-letters', 'list'],
    ['dead-letters', 'show', '0:0'],
    ['dead-letters', 'retry'],
    ['topics', 'check'],
    ['topics', 'create'],
  ])
    it(`prints bad settings of "${command.join(' ')}"`, async () => {
      const { code, stdout, stderr } = await run([...command, '--json'], { KAFKA_BROKERS: 'nowhere' });
      expect({ code, stderr }).to.deep.equal({ code: 2, stderr: '' });
      expect((JSON.parse(stdout) as { error: object }).error)
        .to.have.keys('kind', 'message')
        .and.include({ kind: 'usage' });
    });

  it('prints help', async () => {
    const { code, stdout } = await run(['replay', '--help', '--json']);
    expect(code).to.equal(0);
    expect((JSON.parse(stdout) as { help: string }).help).to.match(/^Usage: npm run cli -- replay /);
  });
});
