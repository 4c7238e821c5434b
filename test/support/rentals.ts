import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * The folder with the records of real rentals in their original order, and with the items that they become.
 * It is outside the repository.
 */
export const RENTALS = join(import.meta.dirname, '../../../shared/data/rentals');
export const hasRentals = existsSync(RENTALS);
export const RENTALS_TODAY = '2026-12-01';

/** Reads the lines of a rentals file. */
export const readRentals = <T>(file: 'events' | 'expected'): T[] =>
  gunzipSync(readFileSync(join(RENTALS, `${file}.ndjson.gz`)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
