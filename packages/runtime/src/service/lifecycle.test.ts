import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';

/** Each service is a separate process, because these tests check exit codes and signals. */
describe('runService', function () {
  this.timeout(20_000);

  const scriptOf = (service: string) => `
      const { createLog } = await import(${JSON.stringify(import.meta.resolve('../log.ts'))});
      const { runService } = await import(${JSON.stringify(import.meta.resolve('./lifecycle.ts'))});
      const started = (stop, failed = new Promise(() => undefined)) => async () => {
        setInterval(() => undefined, 1_000);
        setTimeout(() => console.log('running'));
        return { stop, failed };
      };
      await runService(createLog('test', 'info'), ${service}, 300);`;

  /** Runs `service`, sends it `signals` signals after it has reported its start, and waits for its end. */
  const run = async (service: string, signals = 1) => {
    const script = scriptOf(service);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (let left = text.includes('running') ? signals : 0; left > 0; left--)
        setTimeout(() => child.kill('SIGTERM'), left * 30);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  };
  const NEVER = 'new Promise(() => undefined)';
  /** A stop that takes longer than the test waits. */
  const STUCK = `() => { console.log('asked'); return ${NEVER}; }`;

  for (const [what, service, signals, code, said] of [
    [
      'stops gracefully after a signal, and exits 0',
      "started(async () => console.log('stopped'))",
      1,
      0,
      /stopping.*stopped/s,
    ],
    [
      'exits 1 if it does not stop within the time limit',
      `started(${STUCK})`,
      1,
      1,
      /asked.*did not stop within 300 ms/s,
    ],
    ['exits immediately after a second signal', `started(${STUCK})`, 2, 1, /asked(?!.*not stopped)/s],
    [
      'exits 0 even if stopping fails',
      "started(async () => { throw new Error('no') })",
      1,
      0,
      /an error occurred while the service was stopping/,
    ],
    [
      'stops and exits 1 if the service cannot continue',
      "started(async () => console.log('stopped'), Promise.resolve(new Error('the end')))",
      0,
      1,
      /the end.*stopped/s,
    ],
    [
      'stops and exits 1 after an uncaught error',
      "() => { setTimeout(() => { throw new Error('oops') }); return started(async () => " +
        "console.log('stopped'))(); }",
      0,
      1,
      /uncaught exception.*stopped/s,
    ],
    ['exits 1 when it cannot start', "async () => { throw new Error('no port') }", 0, 1, /no port/],
    [
      'accepts a signal during its start',
      `async () => { setInterval(() => undefined, 1_000); console.log('running'); return ${NEVER}; }`,
      1,
      0,
      /stopping/,
    ],
  ] as const)
    it(what, async () => {
      const { code: exit, output } = await run(service, signals);
      expect(output).to.match(said);
      expect(exit).to.equal(code);
    });

  it('stops gracefully when its parent npm has ended', async () => {
    const script = scriptOf("started(async () => console.log('stopped'))");
    const npm = spawn('sh', ['-c', '"$0" --input-type=module --eval "$1" & wait', process.execPath, script], {
      env: { ...process.env, npm_lifecycle_event: 'query' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (text.includes('running')) npm.kill('SIGKILL');
    });
    // The pipe closes when the service has ended too.
    await once(npm, 'close');
    expect(output).to.match(/the parent process has ended.*stopped/s);
  });
});
