import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTING_EVENT_SCHEMA } from '@vitrine/listing-events';
import { argumentSchemas, openApiDocument } from '@vitrine/query';
import release from '../package.json' with { type: 'json' };
import { asyncApiDocument } from './asyncapi.ts';
import { compareReleases, type Interfaces } from './interfaces/compare-releases.ts';
import type { Finding } from './interfaces/finding.ts';
import { RELEASES, storeInterfaces } from './release/stored-interfaces.ts';

// `npm run interfaces` stores the public interfaces of the version in package.json. A test compares the code
// with every stored release of the same major version (docs/decisions/0080-breaking-changes.md).

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, RELEASES);
/** The default of LOCAL_RADIUS_KM, which the descriptions of the tools contain. */
const LOCAL_RADIUS_KM = 50;

/** The public interfaces of this code. */
export const currentInterfaces = (): Interfaces =>
  // The JSON text replaces members without a value, as in the stored files.
  JSON.parse(
    JSON.stringify({
      'openapi.json': openApiDocument('/api'),
      'listing-event.schema.json': LISTING_EVENT_SCHEMA,
      'asyncapi.json': asyncApiDocument(),
      'agent-tools.json': argumentSchemas(LOCAL_RADIUS_KM),
    }),
  ) as Interfaces;

/** The versions whose interfaces are stored. */
export const storedVersions = (): string[] => readdirSync(FOLDER).filter((name) => /^\d/.test(name));

/** The stored interfaces of a release. @throws if the release is not stored */
export const storedInterfaces = (version: string): Interfaces =>
  Object.fromEntries(
    readdirSync(join(FOLDER, version)).map((file) => [
      file,
      JSON.parse(readFileSync(join(FOLDER, version, file), 'utf8')) as Interfaces[string],
    ]),
  );

/**
 * The changes since every stored release with the same major version that break its clients, by version. Only
 * a new major version may contain such changes (Semantic Versioning 2.0.0, rule 8).
 * @param version the version of `now`
 */
export function breakingChanges(version: string, now: Interfaces): Map<string, Finding[]> {
  const [major] = version.split('.');
  const versions = storedVersions().filter((one) => one.split('.')[0] === major);
  return new Map(versions.map((one) => [one, compareReleases(storedInterfaces(one), now)]));
}

if (import.meta.main) {
  try {
    storeInterfaces(ROOT, release.version, currentInterfaces());
    console.log(`Stored the interfaces of version ${release.version} in ${RELEASES}.`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
