import { statfs } from 'node:fs/promises';
import { EnginesError } from '../engine-control.ts';
import type { Distribution } from './distributions.ts';

const MB = 1_000_000;

type Sizes = Pick<Distribution<unknown>, 'title' | 'megabytes'>;

/** Returns how many free bytes a start needs in the cache folder. */
export function neededBytes({ megabytes }: Sizes, isDownloaded: boolean): number {
  return (megabytes.data + (isDownloaded ? 0 : megabytes.files)) * MB;
}

/**
 * Checks that the disk with the cache folder has enough space for a start.
 * @throws EnginesError that names the folder, both amounts, and the setting that moves the folder
 */
export async function checkDiskSpace(
  cache: string,
  distribution: Sizes,
  isDownloaded: boolean,
): Promise<void> {
  const { bavail, bsize } = await statfs(cache);
  const free = bavail * bsize;
  const needed = neededBytes(distribution, isDownloaded);
  if (free >= needed) return;
  const { data, files } = distribution.megabytes;
  throw new EnginesError(
    `The disk that holds ${cache} does not have enough free space. It has ${inMegabytes(free)}, ` +
      `but starting ${distribution.title} takes ${inMegabytes(needed)} (${inMegabytes(data * MB)} for data` +
      `${isDownloaded ? '' : `, ${inMegabytes(files * MB)} for the download`}). ` +
      'Free some space, or set VITRINE_CACHE to a folder on another disk.',
  );
}

function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / MB).toLocaleString('en')} MB`;
}
