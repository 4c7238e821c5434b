import { statfs } from 'node:fs/promises';
import { EnginesError } from '../engine-control.ts';

const MB = 1_000_000;
/**
 * With less than 600 MB of free space, Elasticsearch refuses new indices (see its watermarks). The remaining
 * space is for the data of both engines.
 */
const DATA = 1_000 * MB;
/** Size of the archives and the unpacked files of both engines. */
const DOWNLOAD = 350 * MB;

/** Returns the number of free bytes that a start needs in the cache folder. */
export function neededBytes(hasDistribution: boolean): number {
  return DATA + (hasDistribution ? 0 : DOWNLOAD);
}

/**
 * Checks that the disk of the cache folder has enough space for a start.
 * @throws EnginesError that names the folder, both amounts and the setting that moves it
 */
export async function checkDiskSpace(cache: string, hasDistribution: boolean): Promise<void> {
  const { bavail, bsize } = await statfs(cache);
  const free = bavail * bsize;
  const needed = neededBytes(hasDistribution);
  if (free >= needed) return;
  throw new EnginesError(
    `The disk of ${cache} is nearly full. It has ${inMegabytes(free)} of free space, ` +
      `but Kafka and Elasticsearch need ${inMegabytes(needed)} (${inMegabytes(DATA)} for data` +
      `${hasDistribution ? '' : `, ${inMegabytes(DOWNLOAD)} for the download`}). ` +
      'Free some space, or set VITRINE_CACHE to a folder on another disk.',
  );
}

function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / MB).toLocaleString('en')} MB`;
}
