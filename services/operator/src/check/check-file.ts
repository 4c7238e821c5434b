import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { CheckRun } from './check-run.ts';
import { EventTexts } from './event-texts.ts';
import type { Position } from './position.ts';
import { type EventText, MAX_TEXT_BYTES } from './splitter.ts';

/**
 * Adds every event in a file to a check.
 * @param onProgress receives the number of bytes read so far
 * @throws the errors from the stream, and from `CheckRun.add`
 */
export async function checkFile(
  run: CheckRun,
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const texts = new EventTexts();
  let bytes = 0;
  for await (const chunk of chunks) {
    for (const text of texts.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
      addText(run, text);
    bytes += chunk.length;
    onProgress(bytes);
  }
  for (const text of texts.end()) addText(run, text);
}

function addText(run: CheckRun, { line, index, bytes, length }: EventText): void {
  const position: Position = index === undefined ? { line } : { line, index };
  if (length > MAX_TEXT_BYTES) run.addTooLarge(bytes, length, position);
  else run.add({ key: undefined, value: bytes }, position);
}

/**
 * A line from a dry run: an event that the ingest has mapped, or a source topic's record that it cannot map.
 */
type MappedLine = { topic: string; partition: number; offset: string } & (
  | { event: object; timestamp: number }
  | { reason: string; detail: string }
);

/**
 * Adds the lines from an ingest's dry run to a check. Each line has the position of its source record.
 * @param onProgress receives the number of bytes read so far
 * @throws the errors from the stream, and from `CheckRun.add`; SyntaxError if a line does not come from the
 * ingest
 */
export async function checkMapped(
  run: CheckRun,
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<void> {
  let bytes = 0;
  for await (const line of createInterface({ input: Readable.from(chunks, { objectMode: false }) })) {
    bytes += Buffer.byteLength(line) + 1;
    onProgress(bytes);
    const { topic, partition, offset, ...mapped } = JSON.parse(line) as MappedLine;
    const position = { topic, partition, offset };
    if ('event' in mapped)
      run.add(
        { key: undefined, value: Buffer.from(JSON.stringify(mapped.event)) },
        position,
        mapped.timestamp,
      );
    else run.refuse(mapped.reason, [{ reason: mapped.reason, path: '', message: mapped.detail }], position);
  }
}
