import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { findCompose } from './compose.ts';
import { run } from './docker.ts';

const PULL_WITHIN_MS = 10 * 60_000;

/** The images that the run needs but does not build: base images, engines, and Testcontainers' Ryuk. */
function neededImages(env: NodeJS.ProcessEnv): string[] {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
    services: Record<string, { image: string }>;
  };
  const dockerfile = readFileSync('infra/docker/Dockerfile', 'utf8');
  const bases = [...dockerfile.matchAll(/^ARG (NODE_IMAGE|BASE_IMAGE)=(\S+)$/gm)].map(
    ([, name = '', preset = '']) => env[name] || preset,
  );
  const engines = ['kafka', 'elasticsearch'].map((name) => services[name]?.image ?? '');
  return [...bases, ...engines, ryukImage()];
}

/** The file in Testcontainers that names Ryuk's image. */
const REAPER = 'node_modules/testcontainers/build/reaper/reaper.js';
const ryukImage = (): string =>
  /testcontainers\/ryuk:[\w.]+/.exec(readFileSync(REAPER, 'utf8'))?.[0] ?? 'testcontainers/ryuk';

/** Returns the reason why the tests with containers cannot run on this machine, or undefined. */
export async function missingForContainers(
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<string | undefined> {
  const engine = await run('docker', ['version', '--format', '{{.Server.Version}}']);
  if (engine.code === null) return 'the program docker is not installed';
  if (engine.code !== 0) return 'no Docker engine responds';
  const compose = await findCompose();
  if (compose === undefined) return 'neither `docker compose` nor `docker-compose` exists';
  onProgress(`Docker engine ${engine.stdout.trim()}, \`${compose.join(' ')}\``);
  for (const image of neededImages(env)) {
    if ((await run('docker', ['image', 'inspect', image])).code === 0) continue;
    onProgress(`Pulling ${image}`);
    const { code, stderr } = await run('docker', ['pull', '--quiet', image], {
      signal: AbortSignal.timeout(PULL_WITHIN_MS),
    });
    if (code !== 0) return `Docker cannot provide ${image} (${stderr.trim().split('\n').at(-1)})`;
  }
  return undefined;
}
