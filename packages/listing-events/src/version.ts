/**
 * The version of an event. Versions compare by epoch, and then by number. A plain number is a version in
 * epoch 0, so the states and events from sources without epochs contain only numbers. A pair has an epoch of
 * at least 1. Rule: docs/decisions/0100.
 */
export type Version = number | readonly [epoch: number, version: number];

/** The highest `version_epoch` that an event may have. */
export const MAX_VERSION_EPOCH = 1_000_000;

/** Returns the version with this number in this epoch. @param epoch 0 or more */
export const versionOf = (epoch: number, version: number): Version =>
  epoch === 0 ? version : [epoch, version];

export const epochOf = (version: Version): number => (typeof version === 'number' ? 0 : version[0]);

/** Returns the number of a version without its epoch. */
export const numberOf = (version: Version): number => (typeof version === 'number' ? version : version[1]);

/** Returns a negative number if `a` is lower than `b`, 0 if they are equal, otherwise a positive number. */
export const compareVersions = (a: Version, b: Version): number =>
  // Almost all versions are numbers, and the fold compares one for each field and date.
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : epochOf(a) - epochOf(b) || numberOf(a) - numberOf(b);

/** Returns the higher version. */
export const higherVersion = (a: Version, b: Version): Version => (compareVersions(a, b) < 0 ? b : a);

/** Returns the version as a string for people: `5`, or `5 of epoch 1`. */
export const describeVersion = (version: Version): string =>
  typeof version === 'number' ? String(version) : `${version[1]} of epoch ${version[0]}`;
