/** A command cannot find the requested dead letter. */
export class DeadLetterError extends Error {
  override readonly name = 'DeadLetterError';
}

/**
 * Returns the partition of the dead-letter topic that contains a dead letter.
 * @param ref `partition:offset`
 * @throws DeadLetterError if `ref` does not have this form
 */
export function partitionOf(ref: string): number {
  const [, partition] = /^(\d{1,9}):\d{1,19}$/.exec(ref) ?? [];
  if (partition === undefined)
    throw new DeadLetterError(
      `${JSON.stringify(ref)} is not the position of a dead letter. Use the form partition:offset, as in ` +
        'the output of dead-letters list',
    );
  return Number(partition);
}

/** @throws DeadLetterError */
export function assertFound<T>(found: T | undefined, ref: string): asserts found is T {
  if (found === undefined)
    throw new DeadLetterError(
      `dead letter ${ref} does not exist. Run dead-letters list --all to see all dead letters`,
    );
}
