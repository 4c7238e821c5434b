import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diff } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { hashOf } from './recording.ts';

const FOLDER = join(import.meta.dirname, '../../e2e/recorded-responses');
/**
 * One line for each request: the hash of its response, a space and the request's name. The test compares
 * these hashes.
 */
const HASHES = join(FOLDER, 'hashes.txt');
/** The responses by hash, in compressed JSON. They only explain a difference. */
const TEXTS = join(FOLDER, 'responses.json.br');
const MAX_LINES = 40;

/** Stores the responses as the ones to which later runs are compared. */
export function storeRecording(responses: ReadonlyMap<string, string>): void {
  const hashes = [...responses].map(([name, response]) => `${hashOf(response)} ${name}\n`);
  writeFileSync(HASHES, hashes.join(''));
  const texts = Object.fromEntries([...responses.values()].map((response) => [hashOf(response), response]));
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  writeFileSync(TEXTS, brotliCompressSync(JSON.stringify(texts), { params }));
}

/** Describes each request whose response differs from the stored one, with the lines that differ. */
export function differences(responses: ReadonlyMap<string, string>): string[] {
  const stored = new Map(
    (existsSync(HASHES) ? readFileSync(HASHES, 'utf8') : '')
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
  );
  let texts: Record<string, string> | undefined;
  const textOf = (hash: string) => {
    texts ??= JSON.parse(brotliDecompressSync(readFileSync(TEXTS)).toString()) as Record<string, string>;
    return texts[hash];
  };
  return [...new Set([...stored.keys(), ...responses.keys()])].flatMap((name) => {
    const [before, now] = [stored.get(name), responses.get(name)];
    if (now === undefined) return [`${name}\n  is recorded, but was not sent`];
    if (before === undefined) return [`${name}\n  is not recorded`];
    if (before === hashOf(now)) return [];
    const text = textOf(before);
    return [`${name}\n${text === undefined ? '  the recorded text is not stored' : changedLines(text, now)}`];
  });
}

/** The lines that differ between two responses. Lines of the earlier one begin with `-`. */
function changedLines(before: string, now: string): string {
  // `diff` gives 1 for a line of its first argument, and -1 for a line of its second one.
  const lines = diff(linesOf(now), linesOf(before)).flatMap(([side, line]) =>
    side === 0 ? [] : [`  ${side === 1 ? '+' : '-'} ${line}`],
  );
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`  … and ${more} more lines`] : [])].join('\n');
}

/** One line for each header and for each member of a JSON body, so that a difference is short. */
function linesOf(response: string): string[] {
  const end = response.indexOf('\n\n') + 2;
  const body = response.slice(end);
  try {
    return [
      ...response.slice(0, end).split('\n'),
      ...JSON.stringify(JSON.parse(body), undefined, 1).split('\n'),
    ];
  } catch {
    return response.split('\n');
  }
}
