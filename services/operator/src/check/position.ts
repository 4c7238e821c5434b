/**
 * The position of an event in the checked input: the line on which it begins, with `index` for the n-th event
 * in an array, or the position of its record in the topic. A dry run of the ingest also names the topic.
 */
export type Position =
  | { line: number; index?: number }
  | { topic?: string; partition: number; offset: string };

/** Formats a position for people. Pure. */
export function describePosition(position: Position): string {
  if ('partition' in position) {
    const { topic, partition, offset } = position;
    return `${topic === undefined ? '' : `${topic} `}partition ${partition} offset ${offset}`;
  }
  const { line, index } = position;
  return index === undefined ? `line ${line}` : `line ${line} (event ${index})`;
}
