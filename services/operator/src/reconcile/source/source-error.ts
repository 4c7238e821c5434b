/** A line of the source is damaged, or is not where its order requires. The comparison cannot continue. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  /** @param line counted from 1. Absent if the whole source is at fault. */
  constructor(line: number | undefined, message: string) {
    super(line === undefined ? message : `line ${line} of the source ${message}`);
  }
}
