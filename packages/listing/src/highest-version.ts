import { compareVersions, higherVersion, type Version } from '@vitrine/listing-events';
import type { ListingState } from './listing-state.ts';

/** Returns the highest version of all facts in a state, or undefined if the state has no facts. Pure. */
export function highestVersion({ removed, replaced, fields, dates }: ListingState): Version | undefined {
  let highest = higherVersion(removed, replaced);
  for (const [version] of Object.values(fields)) highest = higherVersion(highest, version);
  for (const date in dates) {
    const entry = dates[date];
    if (entry) highest = higherVersion(highest, entry[0]);
  }
  return compareVersions(highest, 0) > 0 ? highest : undefined;
}
