/** What was asked of a dead letter cannot be done. */
export class DeadLetterError extends Error {
  override readonly name = 'DeadLetterError';
}

/**
 * The partition of the dead-letter topic that a letter is in.
 * @param ref `partition:offset`
 * @throws DeadLetterError when it is none
 */
export function partitionOf(ref: string): number {
  const [, partition] = /^(\d{1,9}):\d{1,19}$/.exec(ref) ?? [];
  if (partition === undefined)
    throw new DeadLetterError(`${JSON.stringify(ref)} is no dead letter: write partition:offset, as dead-letters list shows it`);
  return Number(partition);
}

/** @throws DeadLetterError */
export function assertFound<T>(found: T | undefined, ref: string): asserts found is T {
  if (found === undefined) throw new DeadLetterError(`there is no dead letter ${ref}; dead-letters list --all shows which there are`);
}
