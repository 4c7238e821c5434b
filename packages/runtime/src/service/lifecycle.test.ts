import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';

/** Each service is a separate process, because these tests check exit codes and signals. */
describe('runService', () => {
  const scriptOf = (service: string, stopWithin = 300) => `
      const { createLog } = await import(${JSON.stringify(import.meta.resolve('../log.ts'))});
      const { runService } = await import(${JSON.stringify(import.meta.resolve('./lifecycle.ts'))});
      const started = (stop, failed = new Promise(() => undefined)) => async () => {
        setInterval(() => undefined, 1_000);
        setTimeout(() => console.log('running'));
        return { stop, failed, breakOff: () => console.log('broken off') };
      };
      await runService(createLog('test', 'info'), ${service}, ${stopWithin});`;

  /**
   * Runs `service` until it ends. Sends a signal for each pair, `at` milliseconds after the service has
   * printed `word`.
   */
  const run = async (
    service: string,
    signals: readonly (readonly [word: string, at: number])[],
    stopWithin?: number,
  ) => {
    const script = scriptOf(service, stopWithin);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const [word, at] of signals) if (text.includes(word)) setTimeout(() => child.kill('SIGTERM'), at);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  };
  const NONE = [] as const;
  const ONE = [['running', 30]] as const;
  const NEVER = 'new Promise(() => undefined)';
  /** A stop that takes longer than the test waits. */
  const STUCK = `() => { console.log('asked'); return ${NEVER}; }`;

  for (const [what, service, signals, code, said, stopWithin] of [
    [
      'stops gracefully after a signal, and exits 0',
      "started(async () => console.log('stopped'))",
      ONE,
      0,
      /stopping.*stopped/s,
    ],
    [
      'exits 1 if it does not stop within the time limit',
      `started(${STUCK})`,
      ONE,
      1,
      /asked.*did not stop within 300 ms.*broken off/s,
    ],
    [
      'breaks incomplete responses off and exits immediately after a second signal',
      `started(${STUCK})`,
      // The service may handle the first signal late, and measures the time to the second one from then on.
      [
        ['running', 0],
        ['asked', 600],
      ],
      1,
      /asked.*broken off(?!.*did not stop)/s,
      15_000,
    ],
    [
      'waits for the stop after a signal that arrives twice, as in a process group with npm',
      "started(async () => { await new Promise((end) => setTimeout(end, 200)); console.log('stopped'); })",
      [
        ['running', 0],
        ['running', 30],
        ['running', 60],
      ],
      0,
      /stopping.*stopped/s,
      15_000,
    ],
    [
      'exits 0 even if stopping fails',
      "started(async () => { throw new Error('no') })",
      ONE,
      0,
      /an error occurred while the service was stopping/,
    ],
    [
      'stops and exits 1 if the service cannot continue',
      "started(async () => console.log('stopped'), Promise.resolve(new Error('the end')))",
      NONE,
      1,
      /the end.*stopped/s,
    ],
    [
      'stops and exits 1 after an uncaught error',
      "() => { setTimeout(() => { throw new Error('oops') }); return started(async () => " +
        "console.log('stopped'))(); }",
      NONE,
      1,
      /uncaught exception.*stopped/s,
    ],
    ['exits 1 when it cannot start', "async () => { throw new Error('no port') }", NONE, 1, /no port/],
    [
      'accepts a signal during its start',
      `async () => { setInterval(() => undefined, 1_000); console.log('running'); return ${NEVER}; }`,
      ONE,
      0,
      /stopping/,
    ],
  ] as const)
    it(what, async () => {
      const { code: exit, output } = await run(service, signals, stopWithin);
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
    // The pipe closes only when the service has also ended.
    await once(npm, 'close');
    expect(output).to.match(/the parent process has ended.*stopped/s);
  });
});
