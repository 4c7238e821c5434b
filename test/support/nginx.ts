import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@vitrine/engines/testing';
import { eventually, type ServiceProcess, startProgram } from './service-process.ts';

const NAME = 'nginx';

/** NGINX_PATH, or nginx on the PATH. Undefined if this machine has none. */
export function nginxPath(): string | undefined {
  const { NGINX_PATH: given } = process.env;
  if (given !== undefined) return existsSync(given) ? given : undefined;
  return spawnSync(NAME, ['-v']).status === 0 ? NAME : undefined;
}

export interface Nginx {
  origin: string;
  close(): Promise<void>;
}

/** Starts nginx in front of a port, with nginx's own defaults. It then speaks HTTP/1.0 with the service. */
export async function startNginx(path: string, upstream: number): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-nginx-'));
  const [port = 0] = await freePorts(1);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${upstream}; } }
    }`,
  );
  const nginx: ServiceProcess = startProgram(
    path,
    ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')],
    {},
  );
  const origin = `http://127.0.0.1:${port}`;
  await eventually('nginx responds', () =>
    fetch(origin).then(
      () => true,
      () => false,
    ),
  ).catch((error: Error) => {
    throw new Error(`${error.message}. ${nginx.log()}`, { cause: error });
  });
  return {
    origin,
    async close() {
      await nginx.end('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}
