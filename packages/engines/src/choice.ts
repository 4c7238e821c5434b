import { type EngineSource, EnginesError, NoEnginesError } from './engine-control.ts';

/** The capabilities of this machine. Each probe runs only if its result matters. */
export interface Machine {
  dockerAnswers(): Promise<boolean>;
  /** Undefined if Java can run the engines, otherwise one sentence that names the missing software. */
  missingForJava(): Promise<string | undefined>;
}

export interface Choice {
  readonly kafka: EngineSource;
  readonly elasticsearch: EngineSource;
}

/** The value of a variable; undefined if it is missing or blank. */
export function named(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === '' ? undefined : value;
}

/**
 * Chooses the source of each engine: the environment, otherwise Docker, otherwise Java. VITRINE_ENGINES=docker|java
 * restricts the choice for engines that the environment does not name.
 * @throws EnginesError that names the missing software if no source works
 */
export async function chooseSources(env: NodeJS.ProcessEnv, machine: Machine): Promise<Choice> {
  const forced = named(env, 'VITRINE_ENGINES');
  if (forced !== undefined && forced !== 'docker' && forced !== 'java') {
    throw new EnginesError(`VITRINE_ENGINES must be "docker" or "java", not "${forced}".`);
  }
  const kafka = named(env, 'KAFKA_BROKERS') !== undefined;
  const elasticsearch = named(env, 'ELASTICSEARCH_URL') !== undefined;
  if (kafka && elasticsearch) return { kafka: 'environment', elasticsearch: 'environment' };
  const own = await chooseOwn(forced, machine);
  return {
    kafka: kafka ? 'environment' : own,
    elasticsearch: elasticsearch ? 'environment' : own,
  };
}

async function chooseOwn(forced: 'docker' | 'java' | undefined, machine: Machine): Promise<'docker' | 'java'> {
  if (forced !== 'java' && (await machine.dockerAnswers())) return 'docker';
  if (forced === 'docker') throw new EnginesError('VITRINE_ENGINES=docker, but no Docker engine answers. Start Docker and try again.');
  const missing = await machine.missingForJava();
  if (missing === undefined) return 'java';
  throw new NoEnginesError(
    [
      `Kafka and Elasticsearch cannot be started here: ${forced === 'java' ? '' : 'no Docker engine answers, and '}${missing}`,
      'Do one of these:',
      ...(forced === 'java' ? [] : ['  - install and start Docker']),
      '  - install a Java 21 or newer and Maven (Debian, Ubuntu: apt-get install openjdk-21-jdk-headless maven; macOS: brew install openjdk@21 maven)',
      '  - set KAFKA_BROKERS and ELASTICSEARCH_URL to engines that run elsewhere',
    ].join('\n'),
  );
}
