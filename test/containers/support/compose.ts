import { type Ran, run } from './docker.ts';

/** The words that start Compose, which is either a Docker plugin or a separate program. */
const CANDIDATES = [['docker', 'compose'], ['docker-compose']] as const;

/** Returns the Compose command that this machine has. */
export async function findCompose(): Promise<readonly [string, ...string[]] | undefined> {
  for (const [program, ...args] of CANDIDATES) {
    const { code } = await run(program, [...args, 'version']);
    if (code === 0) return [program, ...args];
  }
  return undefined;
}

/** The prefix of each run's project name. A later run removes what a killed run has left behind. */
const PREFIX = 'vitrine-test-';
export const projectOf = (pid: number): string => `${PREFIX}${pid}`;

const LABEL = 'com.docker.compose.project';

/** Removes the containers, volumes and networks of a project. */
export async function removeProject(project: string): Promise<void> {
  const filter = ['--filter', `label=${LABEL}=${project}`];
  const ids = async (...list: string[]) =>
    (await run('docker', [...list, '--quiet', ...filter])).stdout.split('\n').filter(Boolean);
  const remove = async (found: string[], ...command: string[]) => {
    if (found.length > 0) await run('docker', [...command, ...found]);
  };
  await remove(await ids('ps', '--all'), 'rm', '--force', '--volumes');
  await remove(await ids('volume', 'ls'), 'volume', 'rm', '--force');
  await remove(await ids('network', 'ls'), 'network', 'rm');
}

/** Removes the projects of runs that have ended. */
export async function removeLeftovers(isRunning: (pid: number) => boolean): Promise<string[]> {
  const names = await Promise.all(
    [
      ['ps', '--all'],
      ['volume', 'ls'],
      ['network', 'ls'],
    ].map(async (list) => {
      const format = `{{.Label "${LABEL}"}}`;
      return (await run('docker', [...list, '--filter', `label=${LABEL}`, '--format', format])).stdout;
    }),
  );
  const projects = new Set(names.join('\n').split('\n'));
  const left = [...projects].filter((project) => {
    const pid = new RegExp(`^${PREFIX}(\\d+)$`).exec(project)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  });
  for (const project of left) await removeProject(project);
  return left;
}

/** Runs Compose in the root of the repository. @throws if this machine has no Compose */
export async function runCompose(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { signal, input }: { signal?: AbortSignal; input?: string } = {},
): Promise<Ran> {
  const compose = await findCompose();
  if (compose === undefined) throw new Error('neither `docker compose` nor `docker-compose` exists');
  const [program, ...first] = compose;
  return run(program, [...first, ...args], {
    env,
    ...(signal && { signal }),
    ...(input !== undefined && { input }),
  });
}
