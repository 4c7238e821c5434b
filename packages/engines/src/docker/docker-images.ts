import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerRuntimeClient, ImageName } from 'testcontainers';
import { type DockerState, named } from '../choice.ts';
import { ENGINES } from '../download/distributions.ts';
import { chooseVersions } from '../download/versions.ts';
import type { EngineName } from '../engine-control.ts';

const ANSWER_WITHIN_MS = 10_000;

/** Returns the image for each engine in the version that infra/engines/pom.xml and the environment name. */
export async function imagesOf(env: NodeJS.ProcessEnv): Promise<Record<EngineName, string>> {
  const { kafka, elasticsearch } = chooseVersions(await readFile(ENGINES.pom, 'utf8'), env);
  return { kafka: `apache/kafka:${kafka}`, elasticsearch: `elasticsearch:${elasticsearch}` };
}

/**
 * Looks for a Docker engine, and pulls the missing images for the requested engines. Loads testcontainers
 * only if a Docker engine seems to exist, because loading takes half a second.
 * @throws the signal's reason on abort
 */
export async function prepareDocker(
  wanted: readonly EngineName[],
  env: NodeJS.ProcessEnv,
  onProgress: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<DockerState> {
  if (!(await hasSignOfDocker(env))) return 'absent';
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  const { ensureRyuk } = await import('./ryuk.ts');
  const late = delay(ANSWER_WITHIN_MS, undefined, { ref: false });
  const client = await Promise.race([getContainerRuntimeClient().catch(() => undefined), late]);
  if (client === undefined) return 'absent';
  const images = await imagesOf(env);
  // Ryuk, a part of Testcontainers, removes the containers if this process dies. Ryuk needs an image too.
  const cleaner = { name: 'the image of Ryuk', provide: () => ensureRyuk(client) };
  const problem = provideImages([
    ...wanted.map((engine) => imageIn(client, ImageName.fromString(images[engine]), onProgress)),
    cleaner,
  ]);
  return Promise.race([problem, rejection(signal)]);
}

/** An image that `provide` pulls if it is missing. */
interface NeededImage {
  readonly name: string;
  provide(): Promise<void>;
}

/** Pulls the missing images one after another. The result names the first image that is not available. */
async function provideImages(images: readonly NeededImage[]): Promise<DockerState> {
  for (const { name, provide } of images) {
    try {
      await provide();
    } catch (error) {
      // This code removes dockerode's prefix, such as "(HTTP code 500) server error - ".
      const reason = (error instanceof Error ? error.message : String(error)).replace(
        /^\(HTTP code \d+\) .*? - /,
        '',
      );
      return {
        problem: `Docker responds but cannot provide ${name} (${reason.replaceAll(/\s+/g, ' ').trim()})`,
      };
    }
  }
  return 'ready';
}

function imageIn(
  client: ContainerRuntimeClient,
  image: ImageName,
  onProgress: (message: string) => void,
): NeededImage {
  const name = image.string;
  return {
    name,
    provide: async () => {
      if (await client.image.exists(image)) return;
      onProgress(`Pulling ${name} with Docker`);
      await client.image.pull(image);
      // Testcontainers does not report a failure in the middle of a pull.
      if (!(await client.image.exists(image)))
        throw new Error(`run \`docker pull ${name}\` to see the reason`);
    },
  };
}

function rejection(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function hasSignOfDocker(env: NodeJS.ProcessEnv): Promise<boolean> {
  if (named(env, 'DOCKER_HOST') !== undefined || process.platform === 'win32') return true;
  const home = named(env, 'HOME') ?? homedir();
  const runtime = named(env, 'XDG_RUNTIME_DIR');
  const signs = [
    '/var/run/docker.sock',
    ...['.testcontainers.properties', '.docker/run/docker.sock', '.docker/desktop/docker.sock'].map((path) =>
      join(home, path),
    ),
  ];
  if (runtime !== undefined) signs.push(join(runtime, 'docker.sock'));
  signs.push(`/run/user/${process.getuid?.()}/docker.sock`);
  const found = await Promise.all(
    signs.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
