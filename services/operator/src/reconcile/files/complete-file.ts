import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { LineFile } from './line-file.ts';

/**
 * Writes a file that appears only when it is complete. Until then, its lines are in `OUT.<random>.part`, so
 * that two processes with the same path do not write to one file. A device or a pipe, such as `/dev/null`,
 * receives the lines directly, because a rename would replace it.
 * @throws the errors from `write`; file system errors
 */
export async function completeFile<T>(out: string, write: (file: LineFile) => Promise<T>): Promise<T> {
  const path = await realpath(out).catch(() => out);
  const known = await stat(path).catch(() => undefined);
  if (known && !known.isFile()) {
    const device = await LineFile.create(path);
    return write(device).finally(() => device.close());
  }
  const part = `${path}.${randomUUID()}.part`;
  const file = await LineFile.create(part);
  try {
    const result = await write(file).finally(() => file.close());
    await rename(part, path);
    return result;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
