import { rename, rm } from 'node:fs/promises';
import { LineFile } from './line-file.ts';

/**
 * Writes a file that appears only when it is complete. Until then, its lines are in `OUT.part`.
 * @throws the errors of `write` and of the file system
 */
export async function completeFile<T>(out: string, write: (file: LineFile) => Promise<T>): Promise<T> {
  const part = `${out}.part`;
  const file = await LineFile.create(part);
  try {
    const result = await write(file).finally(() => file.close());
    await rename(part, out);
    return result;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
