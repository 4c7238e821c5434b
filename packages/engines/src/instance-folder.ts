import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ListedProcess, listProcesses, signal } from './process-table.ts';

/** The parent folder of all instances. Each instance has one folder. */
function instancesFolder(cache: string): string {
  return join(cache, 'instances');
}

/** The path of a new instance. Its keeper creates the folder, so a folder without a keeper belongs to a dead instance. */
export async function newInstanceFolder(cache: string): Promise<string> {
  await mkdir(instancesFolder(cache), { recursive: true, mode: 0o755 });
  return join(instancesFolder(cache), `${machinePrefix()}${randomBytes(4).toString('hex')}`);
}

/** The action for one instance folder. */
export interface Verdict {
  readonly abandoned: boolean;
  /** Engines whose keeper is dead. */
  readonly leftBehind: readonly number[];
}

/** Decides by command lines: the keeper has the folder as argument, and the engines have files in it. */
export function judge(folder: string, processes: readonly ListedProcess[]): Verdict {
  const kept = processes.some(({ command }) => command.includes('keeper.ts ') && command.endsWith(folder));
  const engines = processes.filter(({ command }) => command.includes(`${folder}/`) && /\bjava\b|server-launcher/.test(command));
  return kept ? { abandoned: false, leftBehind: [] } : { abandoned: true, leftBehind: engines.map(({ pid }) => pid) };
}

/** Stops the engines and deletes the folders of instances whose keeper is dead, for this machine and user. */
export async function sweepInstances(cache: string): Promise<void> {
  const instances = instancesFolder(cache);
  const entries = await readdir(instances).catch(() => []);
  // List the folders before the processes: a keeper starts before its folder exists, so none is missed.
  const folders = entries.filter((entry) => entry.startsWith(machinePrefix())).map((entry) => join(instances, entry));
  if (folders.length === 0) return;
  const processes = await listProcesses();
  for (const folder of folders) if (await isOurs(folder)) await sweep(folder, judge(folder, processes));
}

/** Like `sweepInstances`, for one folder whose keeper has just died. */
export async function sweepInstance(folder: string): Promise<void> {
  await sweep(folder, judge(folder, await listProcesses()));
}

async function sweep(folder: string, { abandoned, leftBehind }: Verdict): Promise<void> {
  if (!abandoned) return;
  for (const pid of leftBehind) signal(pid, 'SIGKILL');
  for (let waits = 0; waits < 40 && leftBehind.some(isAlive); waits += 1) await delay(50);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Containers with a shared cache do not see each other's processes, so each handles only its own folders. */
function machinePrefix(): string {
  return `${createHash('sha256').update(hostname()).digest('hex').slice(0, 6)}-`;
}

async function isOurs(folder: string): Promise<boolean> {
  return stat(folder).then(
    ({ uid }) => uid === process.getuid?.(),
    () => false,
  );
}
