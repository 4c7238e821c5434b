/** The least that a program must do to read events: it parses each line of a file, and counts the types. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const counts = new Map<string, number>();
for await (const line of createInterface({ input: createReadStream(process.argv[2] ?? '') })) {
  const { type } = JSON.parse(line) as { type: string };
  counts.set(type, (counts.get(type) ?? 0) + 1);
}
console.log(JSON.stringify(Object.fromEntries(counts)));
