import { compareVersions, higherVersion, type Version } from '@vitrine/listing-events';
import type { ListingState } from './listing-state.ts';

/** The highest version of any fact of a state. Undefined if the state has no fact. Pure. */
export function highestVersion({ removed, replaced, fields, dates }: ListingState): Version | undefined {
  let highest = higherVersion(removed, replaced);
  for (const [version] of Object.values(fields)) highest = higherVersion(highest, version);
  for (const date in dates) {
    const entry = dates[date];
    if (entry) highest = higherVersion(highest, entry[0]);
  }
  return compareVersions(highest, 0) > 0 ? highest : undefined;
}
