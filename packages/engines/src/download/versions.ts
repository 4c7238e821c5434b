import { named } from '../choice.ts';
import { type EngineName, EnginesError } from '../engine-control.ts';

export type EngineVersions = Readonly<Record<EngineName, string>>;

/** The environment variables that choose versions other than the defaults. */
const VARIABLES: Readonly<Record<EngineName, string>> = {
  kafka: 'VITRINE_KAFKA_VERSION',
  elasticsearch: 'VITRINE_ELASTICSEARCH_VERSION',
};

/**
 * Reads the versions that infra/engines/pom.xml can download and verify. The default version comes first.
 * Each version of Elasticsearch has a pinned hash.
 */
export function pinnedVersions(pom: string): Readonly<Record<EngineName, readonly string[]>> {
  const property = (name: string): string => pinnedProperty(pom, name);
  const profiles = [...pom.matchAll(/<id>elasticsearch-([\d.]+)<\/id>/g)].map(([, version = '']) => version);
  return {
    kafka: [...new Set([property('kafka.version'), ...property('kafka.versions').split(/\s+/)])],
    elasticsearch: [property('elasticsearch.version'), ...profiles],
  };
}

/** Reads a property from a pom's text. @throws EnginesError if the pom lacks it */
export function pinnedProperty(pom: string, name: string): string {
  const found = new RegExp(`<${name.replaceAll('.', '\\.')}>([^<]+)</`).exec(pom)?.[1];
  if (found === undefined) throw new EnginesError(`The pom does not define ${name}.`);
  return found;
}

/**
 * Chooses the version of each engine: the version that the environment names, otherwise the default version.
 * @throws EnginesError that lists the known versions if the environment names another version
 */
export function chooseVersions(pom: string, env: NodeJS.ProcessEnv): EngineVersions {
  const pinned = pinnedVersions(pom);
  const choose = (engine: EngineName): string => {
    const wanted = named(env, VARIABLES[engine]) ?? pinned[engine][0];
    if (wanted !== undefined && pinned[engine].includes(wanted)) return wanted;
    throw new EnginesError(
      `${VARIABLES[engine]} must be one of ${pinned[engine].join(', ')}, not "${wanted}". ` +
        'infra/engines/pom.xml lists the versions that can be verified.',
    );
  };
  return { kafka: choose('kafka'), elasticsearch: choose('elasticsearch') };
}

/** Returns the environment variables with which `chooseVersions` returns these versions. */
export function versionVariables(versions: Partial<EngineVersions>): Record<string, string> {
  return Object.fromEntries(
    (['kafka', 'elasticsearch'] as const).flatMap((engine) => {
      const version = versions[engine];
      return version === undefined ? [] : [[VARIABLES[engine], version]];
    }),
  );
}
