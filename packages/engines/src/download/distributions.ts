import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EnginesError } from '../engine-control.ts';
import { chooseVersions, pinnedProperty } from './versions.ts';

/** A set of files that Maven downloads, verifies and unpacks together, from one pom. */
export interface Distribution<Files> {
  readonly pom: string;
  /** The name that messages use for the program to which the files belong. */
  readonly title: string;
  /**
   * The approximate sizes, in megabytes, of the download and of the space that the files and the data need.
   */
  readonly megabytes: { readonly download: number; readonly files: number; readonly data: number };
  /**
   * The versions to download, by name. The pom has a property `<name>.version` for each version, and the name
   * of the folder in the cache begins with the first name. @throws EnginesError if the pom lacks a property
   */
  versions(pom: string, env: NodeJS.ProcessEnv): Readonly<Record<string, string>>;
  /** The options for each Maven run. Every run uses the `generate-sources` phase. */
  readonly runs: readonly (readonly string[])[];
  /** Finds the parts in the unpacked folder. @throws EnginesError if a part is missing */
  open(folder: string): Promise<Files>;
}

export interface EngineFiles {
  readonly elasticsearchHome: string;
  /** The folder that contains Kafka's jars. */
  readonly kafkaLibs: string;
}

/** A folder with the jars for the class path. */
export interface JarFiles {
  readonly libs: string;
}

const pomOf = (folder: string): string =>
  fileURLToPath(new URL(`../../../../infra/${folder}/pom.xml`, import.meta.url));

/** With this option, Maven rejects every file with a wrong or missing checksum. By default, it only warns. */
const STRICT = '--strict-checksums';

/** Kafka and Elasticsearch. */
export const ENGINES: Distribution<EngineFiles> = {
  pom: pomOf('engines'),
  title: 'Kafka and Elasticsearch',
  // With less than 600 MB of free space, Elasticsearch refuses new indices (see its watermarks). The
  // remaining space is for the data of both engines.
  megabytes: { download: 190, files: 350, data: 1_000 },
  versions: chooseVersions,
  // The second run downloads only Elasticsearch, for which some repositories have no checksum. The pom pins
  // its SHA-512.
  runs: [[STRICT, '-Delasticsearch.skip=true'], ['--lax-checksums']],
  async open(folder) {
    const unpacked = await entryOf(join(folder, 'elasticsearch'), (entry) =>
      entry.startsWith('elasticsearch-'),
    );
    return { elasticsearchHome: join(folder, 'elasticsearch', unpacked), kafkaLibs: join(folder, 'kafka') };
  },
};

/** Kafka Connect with Debezium's connector for PostgreSQL. */
export const CONNECT: Distribution<JarFiles> = {
  pom: pomOf('connect'),
  title: 'Kafka Connect and Debezium',
  megabytes: { download: 40, files: 50, data: 100 },
  versions: (pom) => ({
    connect: pinnedProperty(pom, 'connect.version'),
    debezium: pinnedProperty(pom, 'debezium.version'),
  }),
  runs: [[STRICT]],
  async open(folder) {
    await entryOf(join(folder, 'connect'), (entry) => entry.startsWith('debezium-connector-postgres-'));
    return { libs: join(folder, 'connect') };
  },
};

/** Apicurio Registry, which is a schema registry with Confluent's interface. */
export const REGISTRY: Distribution<{ readonly home: string }> = {
  pom: pomOf('registry'),
  title: 'the schema registry',
  megabytes: { download: 160, files: 350, data: 50 },
  versions: (pom) => ({ registry: pinnedProperty(pom, 'registry.version') }),
  runs: [[STRICT]],
  async open(folder) {
    await entryOf(join(folder, 'registry'), (entry) => entry === 'quarkus-run.jar');
    return { home: join(folder, 'registry') };
  },
};

async function entryOf(folder: string, isWanted: (entry: string) => boolean): Promise<string> {
  const found = (await readdir(folder)).find(isWanted);
  if (found === undefined)
    throw new EnginesError(`${folder} is incomplete. Delete the folder, and try again.`);
  return found;
}
