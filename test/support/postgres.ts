import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '@vitrine/engines/testing';
import { type OwnedProcess, ProcessSupervisor } from '@vitrine/runtime/processes';
import pg from 'pg';

const run = promisify(execFile);

/** Debian and Ubuntu install each major version in a folder of its own, outside of PATH. */
const DEBIAN = '/usr/lib/postgresql';

/** Durability is off because every server is deleted at the end, and stops only when its user is done. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const COPY_BYTES = 1 << 20;

export interface PostgresServer {
  port: number;
  /** Connections of this process, as the owner of the database. `stop` ends them. */
  pool: pg.Pool;
  /** Writes lines of COPY text to a table. @throws an Error with the message of psql */
  copy(table: string, lines: Iterable<string>): Promise<void>;
  /** Closes all sessions, stops the server and deletes its data. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Settings of postgresql.conf. */
  settings?: Record<string, string>;
  /** The superuser, who needs no password. The default is `vitrine`. */
  owner?: string;
  /** Ends the start and `copy`. */
  signal?: AbortSignal;
}

/**
 * Starts a new PostgreSQL on its own port of 127.0.0.1, or returns the reason why PostgreSQL is not
 * available. The server and its data never outlive this process.
 */
export async function startPostgres({
  settings = {},
  owner = 'vitrine',
  signal = new AbortController().signal,
}: PostgresOptions = {}): Promise<PostgresServer | string> {
  const programs = findPrograms();
  if (programs === undefined) return `PostgreSQL is not installed in ${DEBIAN}, and PATH has no initdb`;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-postgres-'));
  const supervisor = new ProcessSupervisor(folder);
  let server: OwnedProcess | undefined;
  let pool: pg.Pool | undefined;
  const stop = async () => {
    // SIGTERM would wait for the sessions to end; SIGINT closes them.
    server?.child.kill('SIGINT');
    await Promise.race([server?.exited, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    await supervisor.end();
    await pool?.end();
  };
  try {
    const user = await unprivileged();
    if (user) await chown(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    await run(
      join(programs, 'initdb'),
      ['-D', data, '-U', owner, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...user, cwd: folder, signal },
    );
    const [port = 0] = await freePorts(1);
    const given = { ...SETTINGS, ...settings, port, listen_addresses: '127.0.0.1' };
    server = supervisor.spawn(
      join(programs, 'postgres'),
      [
        '-D',
        data,
        ...Object.entries({ ...given, unix_socket_directories: folder }).flatMap(([name, value]) => [
          '-c',
          `${name}=${value}`,
        ]),
      ],
      { ...user, cwd: folder, stdio: 'ignore' },
    );
    await untilReady(programs, port, AbortSignal.any([signal, AbortSignal.timeout(START_LIMIT_MS)]));
    pool = new pg.Pool({ host: '127.0.0.1', port, user: owner, database: 'postgres' });
    // A server that stops closes idle connections. The next query fails with its own error.
    pool.on('error', () => undefined);
    const psql = [join(programs, 'psql'), '-h', '127.0.0.1', '-p', String(port), '-U', owner];
    const copyLines = (table: string, lines: Iterable<string>) =>
      copy(supervisor, psql, table, lines, signal);
    return { port, pool, copy: copyLines, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The folder of the newest PostgreSQL on this machine. */
function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) =>
    ['initdb', 'postgres', 'psql'].every((program) => existsSync(join(folder, program))),
  );
}

/** The user and group ids of `nobody` if this process is root, because PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const idOf = async (flag: '-u' | '-g') => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

async function untilReady(programs: string, port: number, signal: AbortSignal): Promise<void> {
  const isReady = () =>
    run(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    );
  while (!(await isReady())) {
    await sleep(100);
    signal.throwIfAborted();
  }
}

async function copy(
  supervisor: ProcessSupervisor,
  [psql = 'psql', ...session]: readonly string[],
  table: string,
  lines: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const client = supervisor.spawn(
    psql,
    [...session, '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qc', `COPY ${table} FROM STDIN`],
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
