import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { WorkerProcesses } from './worker-processes.ts';

/** A worker that needs a while to store its position, as on a busy machine. */
const SLOW_WORKER = `
  import { writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  const folder = process.env.WORKER_FOLDER;
  const running = setInterval(() => {}, 1_000);
  process.once('SIGTERM', () => {
    writeFileSync(join(folder, 'ending-' + process.pid), '');
    setTimeout(() => {
      writeFileSync(join(folder, 'stored-' + process.pid), '');
      clearInterval(running);
    }, 500);
  });
  writeFileSync(join(folder, 'started-' + process.pid), process.argv.slice(2).join(' '));
`;
const WORKERS = 2;

describe('the processes of the workers', function () {
  this.timeout(120_000);
  let folder: string;
  let program: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vitrine-workers-'));
    program = join(folder, 'worker.mjs');
    writeFileSync(program, SLOW_WORKER);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const filesOf = (state: string) => readdirSync(folder).filter((name) => name.startsWith(`${state}-`));
  const until = async (state: string) => {
    while (filesOf(state).length < WORKERS) await delay(20);
  };
  const start = (interruption: AbortController) => {
    const said: string[] = [];
    const stderr = { write: (text: string) => said.push(text) };
    const env = { ...process.env, WORKER_FOLDER: folder };
    const workers = new WorkerProcesses({ env, stderr, signal: interruption.signal }, program);
    workers.join(3, WORKERS);
    return { workers, said };
  };

  it('receive an interruption at once, and have time to store their positions', async () => {
    const interruption = new AbortController();
    const { workers, said } = start(interruption);
    await until('started');
    interruption.abort();
    // The command calls `stop` only after its own builder has ended. The workers must not wait for this call.
    await until('ending');
    await workers.stop();
    expect(filesOf('stored')).to.have.length(WORKERS);
    expect(said, 'an interruption is no failure').to.deep.equal([]);
  });

  it('end before the command does', async () => {
    const { workers } = start(new AbortController());
    await until('started');
    await workers.stop();
    expect(filesOf('stored')).to.have.length(WORKERS);
  });

  it('do not start after an interruption', async () => {
    const interruption = new AbortController();
    interruption.abort();
    const { workers } = start(interruption);
    await workers.ended();
    expect(filesOf('started')).to.deep.equal([]);
  });
});
