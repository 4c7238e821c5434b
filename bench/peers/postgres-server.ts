import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { freePorts } from '@vitrine/engines/testing';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { pause, within } from '../time-limit.ts';
import { OWNER } from './postgres-queries.ts';

const run = promisify(execFile);

/** Debian and Ubuntu install PostgreSQL in this folder. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';

/**
 * Settings for a machine with at least 8 GB, and for data that fits in memory. Durability is off, because it
 * does not affect queries.
 */
const SETTINGS = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  random_page_cost: '1.1',
  // JIT compilation takes longer than these queries.
  jit: 'off',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const COPY_BYTES = 1 << 20;

export interface PostgresServer {
  port: number;
  /** Writes lines of COPY text to a table. */
  copy(table: string, lines: Iterable<string>): Promise<void>;
  /** Closes all sessions, stops the server and deletes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a new PostgreSQL on its own port of 127.0.0.1, or returns the reason why PostgreSQL is not
 * available.
 */
export async function startPostgresServer(signal: AbortSignal): Promise<PostgresServer | string> {
  const missing = await access(join(PROGRAMS, 'postgres')).then(
    () => undefined,
    () => `PostgreSQL 15 is not installed in ${PROGRAMS}`,
  );
  if (missing !== undefined) return missing;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-postgres-'));
  // PostgreSQL refuses to run as root.
  const user = process.geteuid?.() === 0 ? { uid: await idOf('-u'), gid: await idOf('-g') } : {};
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  await run(
    join(PROGRAMS, 'initdb'),
    ['-D', data, '-U', OWNER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: folder },
  );
  const [port = 0] = await freePorts(1);
  const settings = Object.entries({
    ...SETTINGS,
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
  });
  const programs = new ProcessSupervisor(folder);
  const server = programs.spawn(
    join(PROGRAMS, 'postgres'),
    ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    },
  );
  const stop = async () => {
    // SIGTERM would wait for the sessions to end; SIGINT closes them.
    server.child.kill('SIGINT');
    await within(
      'stop of PostgreSQL',
      STOP_LIMIT_MS,
      new AbortController().signal,
      () => server.exited,
    ).catch(() => undefined);
    await programs.end();
  };
  const isReady = () =>
    run(join(PROGRAMS, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    );
  try {
    await within('start of PostgreSQL', START_LIMIT_MS, signal, async () => {
      while (!(await isReady())) await pause(100, signal);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, copy: (table, lines) => copy(programs, port, table, lines, signal), stop };
}

async function idOf(flag: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [flag, 'nobody'])).stdout);
}

async function copy(
  programs: ProcessSupervisor,
  port: number,
  table: string,
  lines: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const client = programs.spawn(
    join(PROGRAMS, 'psql'),
    [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      OWNER,
      '-d',
      'postgres',
      '-v',
      'ON_ERROR_STOP=1',
      '-qc',
      `COPY ${table} FROM STDIN`,
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const input = client.child.stdin as Writable;
  // If psql loses its server, it exits, and the error below contains its exit code. The broken pipe must not
  // end this process.
  input.on('error', () => undefined);
  let isOver = false;
  const exited = client.exited.finally(() => {
    isOver = true;
  });
  let text = '';
  for (const line of lines) {
    if (signal.aborted || isOver) break;
    text += `${line}\n`;
    if (text.length < COPY_BYTES) continue;
    if (!input.write(text)) await Promise.race([once(input, 'drain'), exited]);
    text = '';
  }
  if (signal.aborted) await client.stop(0);
  input.end(text);
  const { code } = await exited;
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`COPY ${table}: exit code ${code}`);
}
