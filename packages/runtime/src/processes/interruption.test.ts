import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startTimeOf } from './process-identity.mjs';

const INTERRUPTION = JSON.stringify(import.meta.resolve('./interruption.ts'));
/** A program that prints its process id, prints the reason when it has to end, and then runs `then`. */
const program = (then: string) => `
  import { endOnSignals } from ${INTERRUPTION};
  const ending = new AbortController();
  endOnSignals(ending);
  ending.signal.addEventListener('abort', () => { console.log(ending.signal.reason.message); ${then} });
  setInterval(() => {}, 1_000);
  console.log(process.pid);
`;
const IN_ORDER = 'setTimeout(() => process.exit(7), 300);';

describe('the shutdown of a main process', () => {
  const started: ChildProcess[] = [];
  const pids: number[] = [];

  /**
   * Runs the program. Returns its process id, the lines that follow, and a promise of the first of these
   * lines.
   */
  const start = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(command, args, {
      env: { ...process.env, npm_lifecycle_event: undefined, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    const lines: string[] = [];
    const reader = createInterface(child.stdout);
    const [pid] = (await once(reader, 'line')) as [string];
    reader.on('line', (line) => void lines.push(line));
    const said = once(reader, 'line');
    pids.push(Number(pid));
    return { child, pid: Number(pid), lines, said };
  };
  const startNode = (then: string) =>
    start(process.execPath, ['--input-type=module', '--eval', program(then)]);
  /** Starts the program under a shell. Like npm, a shell dies without telling its child. */
  const startUnderShell = (env: NodeJS.ProcessEnv) =>
    start(
      'sh',
      ['-c', '"$0" --input-type=module --eval "$1" & wait', process.execPath, program(IN_ORDER)],
      env,
    );
  const isGone = async (pid: number, withinMs: number) => {
    for (let waited = 0; waited < withinMs && startTimeOf(pid) !== undefined; waited += 50) await delay(50);
    return startTimeOf(pid) === undefined;
  };

  after(() => {
    for (const child of started) child.kill('SIGKILL');
    for (const pid of pids) if (startTimeOf(pid) !== undefined) process.kill(pid, 'SIGKILL');
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    it(`is graceful after ${signal}`, async () => {
      const { child, lines } = await startNode(IN_ORDER);
      child.kill(signal);
      expect(await once(child, 'close')).to.deep.equal([7, null]);
      expect(lines).to.deep.equal([signal]);
    });

  it('is graceful after one key press, even if its signal arrives twice', async () => {
    const { child, lines, said } = await startNode(IN_ORDER);
    child.kill('SIGINT');
    await said;
    child.kill('SIGINT');
    expect(await once(child, 'close')).to.deep.equal([7, null]);
    expect(lines).to.deep.equal(['SIGINT']);
  });

  it('is immediate after a second key press, with exit code 130', async () => {
    const { child, said } = await startNode('');
    child.kill('SIGINT');
    // The program may handle the first signal late, and measures the time to the second one from then on.
    await said;
    await delay(600);
    child.kill('SIGINT');
    expect(await once(child, 'close')).to.deep.equal([130, null]);
  });

  it('is graceful after several SIGHUP from a closing terminal', async () => {
    const { child, said } = await startNode('setTimeout(() => process.exit(7), 1_200);');
    child.kill('SIGHUP');
    await said;
    await delay(600);
    child.kill('SIGHUP');
    expect(await once(child, 'close')).to.deep.equal([7, null]);
  });

  it('follows the end of the npm that runs it', async () => {
    const { child, pid, lines } = await startUnderShell({ npm_lifecycle_event: 'start' });
    // The pipe closes only when the program has also ended, so no further lines can arrive.
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    expect(await isGone(pid, 60_000)).to.equal(true);
    expect(lines).to.deep.equal(['the parent process has ended']);
  });

  it('does not follow the end of another parent, such as the shell of nohup', async () => {
    const { child, pid } = await startUnderShell({});
    child.kill('SIGKILL');
    expect(await isGone(pid, 2_500)).to.equal(false);
  });
});
