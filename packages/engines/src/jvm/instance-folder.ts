import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, type ProcessIdentity, signalProcess, startTimeOf } from '@vitrine/runtime/processes';
import { type ListedProcess, listProcesses } from './process-table.ts';

const NO_PROCESS: ProcessIdentity = { pid: 0, startTime: undefined };

/** Returns the parent folder of all instances. Each instance has its own folder. */
function instancesFolder(cache: string): string {
  return join(cache, 'engines');
}

/** Creates the folder for a new instance. The folder's name identifies this process as the owner. */
export async function createInstanceFolder(cache: string): Promise<string> {
  await mkdir(instancesFolder(cache), { recursive: true });
  const owner = `${process.pid}-${startTimeOf(process.pid) ?? ''}`;
  const folder = join(instancesFolder(cache), `${machinePrefix()}${owner}-${randomBytes(4).toString('hex')}`);
  await mkdir(folder);
  // The user who runs the engines needs access to both folders, regardless of this process's umask.
  for (const path of [instancesFolder(cache), folder]) await chmod(path, 0o755);
  return folder;
}

/** Returns the process that owns the instance folder with this name, or undefined for any other name. */
export function ownerOf(name: string): ProcessIdentity | undefined {
  const [, pid, startTime] = /^[0-9a-f]{6}-(\d+)-(.*)-[0-9a-f]{8}$/.exec(name) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), startTime };
}

/** Finds the ids of the processes whose command line contains an instance folder. */
export function enginesIn(folder: string, processes: readonly ListedProcess[]): number[] {
  return processes
    .filter(({ command }) => command.includes(`${folder}/`) && /\bjava\b|server-launcher/.test(command))
    .map(({ pid }) => pid);
}

/**
 * Cleans up this user's instances on this machine whose owner process has died: stops their engines and
 * deletes their folders. The owner's cleanup process normally does this, so this function is needed only if
 * the machine crashed or both processes were killed.
 */
export async function sweepInstances(cache: string): Promise<void> {
  const instances = instancesFolder(cache);
  const names = (await readdir(instances).catch(() => [])).filter((name) => name.startsWith(machinePrefix()));
  const abandoned = names
    .filter((name) => !isRunning(ownerOf(name) ?? NO_PROCESS))
    .map((name) => join(instances, name));
  if (abandoned.length === 0) return;
  const processes = await listProcesses();
  for (const folder of abandoned) if (await isOurs(folder)) await sweep(folder, enginesIn(folder, processes));
}

async function sweep(folder: string, engines: readonly number[]): Promise<void> {
  for (const pid of engines) signalProcess(pid, 'SIGKILL');
  for (let waits = 0; waits < 40 && engines.some((pid) => startTimeOf(pid) !== undefined); waits += 1)
    await delay(50);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Containers that share a cache do not see each other's processes, so each container handles only its own
 * folders.
 */
function machinePrefix(): string {
  return `${createHash('sha256').update(hostname()).digest('hex').slice(0, 6)}-`;
}

async function isOurs(folder: string): Promise<boolean> {
  return stat(folder).then(
    ({ uid }) => uid === process.getuid?.(),
    () => false,
  );
}
