import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { named } from '../choice.ts';
import { EnginesError } from '../engine-control.ts';
import type { PreparedEngine } from '../engine-process.ts';
import { engineUser, giveTo } from '../jvm/unprivileged-user.ts';
import { freePorts } from '../ports.ts';
import { programProbe } from '../readiness.ts';
import { type SourceOptions, type SourceServer, startUnderSupervisor } from './source-server.ts';

const run = promisify(execFile);

/** Debian and Ubuntu install each major version in a folder of its own that is not on the PATH. */
const DEBIAN = '/usr/lib/postgresql';

/**
 * The server does not wait until its writes reach the disk, because the data is deleted with the server. A
 * killed server still keeps each committed transaction, because the operating system already has the data.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'local' };

/** After a kill, the old sessions block the data for a moment. */
const RELEASE_LIMIT_MS = 30_000;
const COPY_BYTES = 1 << 20;

export interface PostgresServer extends SourceServer {
  readonly port: number;
  /** The address of the database, with the name of its owner. */
  readonly url: string;
  /** The full path of psql. */
  readonly psql: string;
  /**
   * Runs SQL with psql as the owner.
   * @param sql one or more statements, or the file that contains them
   * @returns the rows as lines, with `|` between the columns
   * @throws EnginesError with the message from psql
   */
  run(sql: string | URL): Promise<string>;
  /** Writes lines of COPY text to a table. @throws EnginesError if psql fails; the signal's reason */
  copy(table: string, lines: Iterable<string>): Promise<void>;
}

export interface PostgresOptions extends SourceOptions {
  /** Settings for postgresql.conf, for example `wal_level: 'logical'`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The superuser's name, `vitrine` by default. The superuser has no password. */
  readonly owner?: string;
}

/**
 * Starts a new PostgreSQL server on a port of its own on 127.0.0.1, or returns the reason why PostgreSQL is
 * not available. The server and its data never outlive this process.
 * @throws EnginesError with the end of the server's log
 */
export async function startPostgres({
  settings = {},
  owner = 'vitrine',
  ...options
}: PostgresOptions = {}): Promise<PostgresServer | string> {
  const env = options.env ?? process.env;
  const programs = findPrograms(env);
  if (programs === undefined) {
    const wanted = named(env, 'VITRINE_POSTGRES');
    return wanted === undefined
      ? `PostgreSQL is not installed in ${DEBIAN}, and PATH has no initdb`
      : `PostgreSQL is not installed in ${wanted} (VITRINE_POSTGRES)`;
  }
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-postgres-'));
  await chmod(folder, 0o755); // another user runs the server
  const { address, server } = await startUnderSupervisor(
    'PostgreSQL',
    folder,
    () => preparePostgres(programs, join(folder, 'server'), owner, settings),
    options,
  );
  const { port } = new URL(address);
  const clients = new ProcessSupervisor();
  const psql = join(programs, 'psql');
  return {
    port: Number(port),
    url: address,
    psql,
    kill: () => server.kill(),
    start: () => startAgain(server),
    async stop() {
      await clients.end();
      await server.stop();
    },
    run: (sql) => runSql([psql, address], sql, options.signal),
    copy: (table, lines) => copy(clients, [psql, address], table, lines, options.signal),
  };
}

/**
 * Returns the folder that VITRINE_POSTGRES names, otherwise the folder of the newest PostgreSQL on this
 * machine.
 */
function findPrograms(env: NodeJS.ProcessEnv): string | undefined {
  const wanted = named(env, 'VITRINE_POSTGRES');
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders =
    wanted === undefined
      ? [
          ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, 'bin')),
          ...(env['PATH'] ?? '').split(delimiter),
        ]
      : [wanted];
  return folders.find((folder) =>
    ['initdb', 'pg_isready', 'postgres', 'psql'].every((program) => existsSync(join(folder, program))),
  );
}

/** Plans a server with an empty database. */
async function preparePostgres(
  programs: string,
  folder: string,
  owner: string,
  settings: Readonly<Record<string, string>>,
): Promise<PreparedEngine> {
  const user = await engineUser();
  const [port = 0] = await freePorts(1);
  const data = join(folder, 'data');
  const log = join(folder, 'output.log');
  await mkdir(folder);
  if (user !== undefined) await giveTo(user, folder);
  const program = (name: string, args: readonly string[]) => ({
    command: join(programs, name),
    args,
    env: { LC_ALL: 'C' },
    cwd: folder,
    log,
    user,
  });
  const given = { ...SETTINGS, ...settings, port, listen_addresses: '127.0.0.1' };
  return {
    title: 'PostgreSQL',
    address: `postgresql://${owner}@127.0.0.1:${port}/postgres`,
    folder,
    setup: program('initdb', ['-D', data, '-U', owner, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']),
    launch: () =>
      program('postgres', [
        '-D',
        data,
        ...Object.entries({ ...given, unix_socket_directories: folder }).flatMap(([name, value]) => [
          '-c',
          `${name}=${value}`,
        ]),
      ]),
    log,
    pidFile: undefined,
    // SIGTERM would wait for the sessions to end, but SIGINT closes them.
    stopSignal: 'SIGINT',
    probe: programProbe(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]),
  };
}

/**
 * Starts a killed server as soon as its last session has noticed the kill. Until then, the server refuses to
 * start.
 */
async function startAgain(server: SourceServer): Promise<void> {
  for (const deadline = Date.now() + RELEASE_LIMIT_MS; ; ) {
    try {
      return await server.start();
    } catch (error) {
      const isHeld = /pre-existing shared memory|postmaster\.pid/.test(String(error));
      if (!isHeld || Date.now() > deadline) throw error;
    }
    await sleep(200);
  }
}

async function runSql(
  [psql = 'psql', ...session]: readonly string[],
  sql: string | URL,
  signal: AbortSignal | undefined,
): Promise<string> {
  const source = typeof sql === 'string' ? ['-c', sql] : ['-f', fileURLToPath(sql)];
  try {
    const { stdout } = await run(psql, [...session, '-v', 'ON_ERROR_STOP=1', '-qAtX', ...source], {
      ...(signal && { signal }),
    });
    return stdout.trim();
  } catch (error) {
    signal?.throwIfAborted();
    const { stderr = '' } = error as { stderr?: string };
    throw new EnginesError(`psql failed: ${stderr.trim() || String(error)}`, { cause: error });
  }
}

async function copy(
  supervisor: ProcessSupervisor,
  [psql = 'psql', ...session]: readonly string[],
  table: string,
  lines: Iterable<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const client = supervisor.spawn(
    psql,
    [...session, '-v', 'ON_ERROR_STOP=1', '-qXc', `COPY ${table} FROM STDIN`],
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
    if (signal?.aborted || isOver) break;
    text += `${line}\n`;
    if (text.length < COPY_BYTES) continue;
    if (!input.write(text)) await Promise.race([once(input, 'drain'), exited]);
    text = '';
  }
  if (signal?.aborted) await client.stop(0);
  input.end(text);
  const { code } = await exited;
  signal?.throwIfAborted();
  if (code !== 0) throw new EnginesError(`COPY ${table}: exit code ${code}`);
}
