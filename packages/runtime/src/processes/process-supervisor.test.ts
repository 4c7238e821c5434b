import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startTimeOf } from './process-identity.mjs';
import { ProcessStartError, ProcessSupervisor } from './process-supervisor.ts';

const NEVER_ENDS = 'setInterval(() => {}, 1_000);';
const running: ChildProcess[] = [];

const isGone = (pid: number) => startTimeOf(pid) === undefined;

/** Waits until the condition holds. The limit promises nothing, because a busy machine may be slow. */
async function holds(condition: () => boolean): Promise<boolean> {
  const deadline = Date.now() + 60_000;
  while (!condition() && Date.now() < deadline) await delay(20);
  return condition();
}

const gone = (pids: readonly number[]) => holds(() => pids.every(isGone));

/** A main process that starts a shell with a child of its own, and prints the ids of both. */
async function startMain(
  then: string,
  folder = '',
  script = 'sleep 600 & echo $!; wait',
): Promise<{ main: ChildProcess; pids: number[] }> {
  const program = `
    import { ProcessSupervisor } from ${JSON.stringify(import.meta.resolve('./process-supervisor.ts'))};
    const supervisor = new ProcessSupervisor(${JSON.stringify(folder)} || undefined);
    const options = { stdio: ['ignore', 'pipe', 'ignore'] };
    const { child, pid } = supervisor.spawn('sh', ['-c', ${JSON.stringify(script)}], options);
    child.stdout.on('data', (text) => { console.log(pid + ' ' + String(text).trim()); ${then} });
  `;
  const main = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  running.push(main);
  const [line] = (await once(createInterface(main.stdout), 'line')) as [string];
  return { main, pids: line.split(' ').map(Number) };
}

const childrenOf = async (pid: number | undefined): Promise<number[]> => {
  const ps = spawn('ps', ['-A', '-o', 'pid=,ppid='], { stdio: ['ignore', 'pipe', 'ignore'] });
  const rows = (await ps.stdout.toArray()).join('').trim().split('\n');
  const pairs = rows.map((row: string) => row.trim().split(/\s+/).map(Number));
  return pairs.filter(([child, parent]) => parent === pid && child !== ps.pid).map(([child = 0]) => child);
};

/** Finds a main process's cleanup process, which is its only child that is not one of `others`. */
async function cleanupOf(main: ChildProcess, others: readonly number[]): Promise<number> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(20)) {
    const [cleanup] = (await childrenOf(main.pid)).filter((pid) => !others.includes(pid));
    if (cleanup !== undefined) return cleanup;
  }
  // A signal to process 0 would also reach this process.
  throw new Error('the main process has no cleanup process');
}

describe('the process supervisor', () => {
  after(() => running.forEach((child) => void child.kill('SIGKILL')));

  it('leaves no processes and no folders after a SIGKILL of the main process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-supervisor-'));
    const { main, pids } = await startMain(NEVER_ENDS, folder);
    expect(pids.filter(isGone)).to.deep.equal([]);
    main.kill('SIGKILL');
    expect(await gone(pids)).to.equal(true);
    expect(await holds(() => !existsSync(folder))).to.equal(true);
  });

  it('leaves no processes after a crash, and after an exit', async () => {
    for (const then of ['throw new Error("crash");', 'process.exit(3);']) {
      const { pids } = await startMain(then);
      expect(await gone(pids), then).to.equal(true);
    }
  });

  it('leaves no processes after a SIGKILL of its cleanup process and then of the main process', async () => {
    const echo = "process.stdin.once('data', () => console.log('idle'));";
    const { main, pids } = await startMain(`${NEVER_ENDS} ${echo}`);
    const cleanup = await cleanupOf(main, pids);
    // A cleanup process that ends in its first second has no replacement.
    await delay(1_500);
    process.kill(cleanup, 'SIGKILL');
    await cleanupOf(main, [...pids, cleanup]);
    // The main process starts the replacement and tells it everything before it reads its input.
    main.stdin?.write('\n');
    await once(main.stdout as NonNullable<typeof main.stdout>, 'data');
    main.kill('SIGKILL');
    expect(await gone(pids)).to.equal(true);
  });

  it('lets children end gracefully after the death of the main process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-supervisor-'));
    const ended = join(folder, 'ended');
    const { main, pids } = await startMain(
      NEVER_ENDS,
      '',
      `trap 'sleep 0.3; touch ${ended}; exit' TERM; sleep 600 & echo $!; wait`,
    );
    main.kill('SIGKILL');
    expect(await gone(pids)).to.equal(true);
    expect(existsSync(ended)).to.equal(true);
    rmSync(folder, { recursive: true });
  });

  it('kills processes that ignore SIGTERM after the death of the main process', async () => {
    // The shell ignores the signal, and its child inherits this.
    const { main, pids } = await startMain(NEVER_ENDS, '', 'trap "" TERM; sleep 600 & echo $!; wait');
    main.kill('SIGKILL');
    expect(await gone(pids)).to.equal(true);
  });

  it('stops a frozen child and its group gracefully', async () => {
    const supervisor = new ProcessSupervisor();
    const { child, pid, exited, stop } = supervisor.spawn(
      'sh',
      ['-c', 'trap "exit 7" TERM; sleep 600 & echo $!; wait'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const grandchild = Number(await once(child.stdout as NonNullable<typeof child.stdout>, 'data'));
    process.kill(pid, 'SIGSTOP');
    await stop();
    expect(await exited).to.deep.equal({ code: 7, signal: null });
    expect([pid, grandchild].every(isGone)).to.equal(true);
    expect(supervisor.size).to.equal(0);
  });

  it('kills a child that ignores SIGTERM after the grace period', async () => {
    const supervisor = new ProcessSupervisor();
    const { child, exited } = supervisor.spawn(
      'sh',
      ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    await supervisor.end(200);
    expect(await exited).to.deep.equal({ code: null, signal: 'SIGKILL' });
  });

  it('waits for the rest of a group that may outlive its leader', async () => {
    const supervisor = new ProcessSupervisor();
    const { child, exited } = supervisor.spawn('sh', ['-c', 'sleep 600 & echo $!'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      keepsGroup: true,
    });
    const rest = Number(await once(child.stdout as NonNullable<typeof child.stdout>, 'data'));
    await exited;
    await delay(300); // a signal would have arrived
    expect(isGone(rest)).to.equal(false);
    await supervisor.end();
    expect(await gone([rest])).to.equal(true);
  });

  it('starts nothing after its shutdown, and names a program that fails to start', async () => {
    const supervisor = new ProcessSupervisor();
    expect(() => supervisor.spawn('/no/such/program', [])).to.throw(ProcessStartError, '/no/such/program');
    await Promise.all([supervisor.end(), supervisor.end()]);
    expect(() => supervisor.spawn('sleep', ['600'])).to.throw(
      ProcessStartError,
      'its supervisor is shutting down',
    );
  });
});
