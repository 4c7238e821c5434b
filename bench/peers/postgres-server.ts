import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../test/support/service-process.ts';
import { freePort } from '../processes.ts';

const run = promisify(execFile);

/** Where Debian and Ubuntu put it. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
export const OWNER = 'bench';

/** For a machine with 8 GB or more and data that fits in memory; durability, which no query waits for, is off. */
const SETTINGS = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  random_page_cost: '1.1',
  // Compiling takes longer than these queries do.
  jit: 'off',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

export interface PostgresServer {
  port: number;
  /** Feeds lines of COPY text to `copy`. */
  copy(table: string, lines: Iterable<string>): Promise<void>;
  stop(): Promise<void>;
}

/** A fresh PostgreSQL on a port of its own on 127.0.0.1; what is missing, as a string, where it is not installed. */
export async function startPostgresServer(): Promise<PostgresServer | string> {
  const missing = await access(join(PROGRAMS, 'postgres')).then(
    () => undefined,
    () => `PostgreSQL 15 is not installed in ${PROGRAMS}`,
  );
  if (missing !== undefined) return missing;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-postgres-'));
  // It refuses to run as root.
  const user = process.geteuid?.() === 0 ? { uid: await idOf('-u'), gid: await idOf('-g') } : {};
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  await run(join(PROGRAMS, 'initdb'), ['-D', data, '-U', OWNER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], { ...user, cwd: folder });
  const port = await freePort();
  const settings = Object.entries({ ...SETTINGS, port, listen_addresses: '127.0.0.1', unix_socket_directories: folder });
  const server = spawn(join(PROGRAMS, 'postgres'), ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  const exited = once(server, 'exit');
  const end = () => server.kill('SIGQUIT');
  process.once('exit', end);
  await eventually('PostgreSQL answers', () =>
    run(join(PROGRAMS, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    ),
  );
  return {
    port,
    copy: (table, lines) => copy(port, table, lines),
    async stop() {
      server.kill('SIGINT');
      await exited;
      process.off('exit', end);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function idOf(flag: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [flag, 'nobody'])).stdout);
}

async function copy(port: number, table: string, lines: Iterable<string>): Promise<void> {
  const client = spawn(
    join(PROGRAMS, 'psql'),
    ['-h', '127.0.0.1', '-p', String(port), '-U', OWNER, '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qc', `COPY ${table} FROM STDIN`],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const exited = once(client, 'exit');
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < 1 << 20) continue;
    if (!client.stdin.write(text)) await once(client.stdin, 'drain');
    text = '';
  }
  client.stdin.end(text);
  const [code] = await exited;
  if (code !== 0) throw new Error(`COPY ${table} ended with ${code}`);
}
