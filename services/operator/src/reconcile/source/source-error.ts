/** A line in the source is damaged or out of order. The comparison cannot continue. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  /** @param line the line's number, counted from 1, or undefined if the whole source is at fault */
  constructor(line: number | undefined, message: string) {
    super(line === undefined ? message : `line ${line} of the source ${message}`);
  }
}
