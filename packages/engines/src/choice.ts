import { type EngineName, type EngineSource, EnginesError, NoEnginesError } from './engine-control.ts';

/**
 * Whether Docker can run the engines. If Docker is installed but cannot run them, `problem` describes the
 * reason.
 */
export type DockerState = 'ready' | 'absent' | { readonly problem: string };

/** Probes the machine's capabilities. Each probe runs only if its result matters. */
export interface Machine {
  /** Pulls the missing images of these engines, if there is a Docker engine. */
  prepareDocker(wanted: readonly EngineName[]): Promise<DockerState>;
  /**
   * Returns undefined if Java can run the engines, and otherwise a sentence that names the missing software.
   */
  missingForJava(): Promise<string | undefined>;
}

export interface Choice {
  readonly kafka: EngineSource;
  readonly elasticsearch: EngineSource;
}

/** Returns the value of a variable, or undefined if the variable is missing or blank. */
export function named(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === '' ? undefined : value;
}

/**
 * Chooses the source of each engine: the environment if it names the engine, otherwise Docker, otherwise
 * Java. VITRINE_ENGINES=docker|java restricts the choice for engines that the environment does not name. If
 * Java replaces Docker because of missing images, `onProgress` receives the reason.
 * @throws EnginesError that names the missing software if no source works
 */
export async function chooseSources(
  env: NodeJS.ProcessEnv,
  machine: Machine,
  onProgress: (message: string) => void,
): Promise<Choice> {
  const forced = named(env, 'VITRINE_ENGINES');
  if (forced !== undefined && forced !== 'docker' && forced !== 'java') {
    throw new EnginesError(`VITRINE_ENGINES must be "docker" or "java", not "${forced}".`);
  }
  const kafka = named(env, 'KAFKA_BROKERS') !== undefined;
  const elasticsearch = named(env, 'ELASTICSEARCH_URL') !== undefined;
  if (kafka && elasticsearch) return { kafka: 'environment', elasticsearch: 'environment' };
  const wanted: EngineName[] = [
    ...(kafka ? [] : (['kafka'] as const)),
    ...(elasticsearch ? [] : (['elasticsearch'] as const)),
  ];
  const own = await chooseOwn(forced, wanted, machine, onProgress);
  return {
    kafka: kafka ? 'environment' : own,
    elasticsearch: elasticsearch ? 'environment' : own,
  };
}

async function chooseOwn(
  forced: 'docker' | 'java' | undefined,
  wanted: readonly EngineName[],
  machine: Machine,
  onProgress: (message: string) => void,
): Promise<'docker' | 'java'> {
  const docker = forced === 'java' ? 'absent' : await machine.prepareDocker(wanted);
  if (docker === 'ready') return 'docker';
  const noDocker = docker === 'absent' ? 'no Docker engine responds' : docker.problem;
  if (forced === 'docker') throw new EnginesError(`VITRINE_ENGINES is "docker", but ${noDocker}.`);
  const missing = await machine.missingForJava();
  if (missing === undefined) {
    if (docker !== 'absent') onProgress(`${capitalized(docker.problem)}. Java runs the engines instead.`);
    return 'java';
  }
  throw new NoEnginesError(
    [
      'Kafka and Elasticsearch cannot run on this machine: ' +
        `${forced === 'java' ? '' : `${noDocker}, and `}${missing}`,
      'To solve this, do one of the following:',
      ...(forced === 'java' || docker !== 'absent' ? [] : ['  - install and start Docker']),
      '  - install Java 21 or newer and Maven (Debian, Ubuntu: apt-get install openjdk-21-jdk-headless ' +
        'maven; macOS: brew install openjdk@21 maven)',
      '  - set KAFKA_BROKERS and ELASTICSEARCH_URL to the addresses of running engines',
    ].join('\n'),
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
