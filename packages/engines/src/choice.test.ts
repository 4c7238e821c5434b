import { expect } from 'chai';
import { chooseSources, type DockerState, type Machine } from './choice.ts';
import { EnginesError } from './engine-control.ts';

const machine = (docker: DockerState, missing?: string): Machine => ({
  prepareDocker: async () => docker,
  missingForJava: async () => missing,
});
const withoutImages = { problem: 'Docker cannot provide apache/kafka:4 (no such host)' };
const silent = (): void => {};
const unasked: Machine = {
  prepareDocker: () => Promise.reject(new Error('asked for Docker')),
  missingForJava: () => Promise.reject(new Error('asked for Java')),
};

async function refusal(env: NodeJS.ProcessEnv, found: Machine): Promise<string> {
  try {
    await chooseSources(env, found, silent);
  } catch (error) {
    if (error instanceof EnginesError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('the source of the engines', () => {
  const both = { KAFKA_BROKERS: 'a:9092', ELASTICSEARCH_URL: 'http://b:9200' };

  it('takes the engines that the environment names, without further probes', async () => {
    expect(await chooseSources(both, unasked, silent)).to.deep.equal({
      kafka: 'environment',
      elasticsearch: 'environment',
    });
  });

  it('starts only the engines that the environment does not name; a blank value names none', async () => {
    expect(await chooseSources({ ...both, ELASTICSEARCH_URL: ' ' }, machine('absent'), silent)).to.deep.equal(
      {
        kafka: 'environment',
        elasticsearch: 'java',
      },
    );
  });

  it('prefers Docker to Java', async () => {
    expect(await chooseSources({}, machine('ready'), silent)).to.deep.equal({
      kafka: 'docker',
      elasticsearch: 'docker',
    });
    expect(await chooseSources({}, machine('absent'), silent)).to.deep.equal({
      kafka: 'java',
      elasticsearch: 'java',
    });
  });

  it('continues with Java if Docker lacks the images, and reports this in one line', async () => {
    const lines: string[] = [];
    expect(await chooseSources({}, machine(withoutImages), (line) => lines.push(line))).to.include({
      kafka: 'java',
      elasticsearch: 'java',
    });
    expect(lines).to.deep.equal([
      'Docker cannot provide apache/kafka:4 (no such host). Java runs the engines instead.',
    ]);
  });

  it('names both problems if Docker lacks the images and Java is missing', async () => {
    const message = await refusal({}, machine(withoutImages, 'no Java 21 or newer was found.'));
    expect(message).to.include(
      'Docker cannot provide apache/kafka:4 (no such host), and no Java 21 or newer was found.',
    );
    expect(message).not.to.include('install and start Docker');
    expect(await refusal({ VITRINE_ENGINES: 'docker' }, machine(withoutImages))).to.include(
      'apache/kafka:4 (no such host)',
    );
  });

  it('obeys VITRINE_ENGINES', async () => {
    expect(
      await chooseSources(
        { VITRINE_ENGINES: 'java' },
        { ...unasked, missingForJava: async () => undefined },
        silent,
      ),
    ).to.include({
      kafka: 'java',
    });
    expect(await refusal({ VITRINE_ENGINES: 'docker' }, machine('absent'))).to.include(
      'no Docker engine responds',
    );
    expect(await refusal({ VITRINE_ENGINES: 'podman' }, unasked)).to.include('"podman"');
  });

  it('names the software to install if no source works', async () => {
    const message = await refusal({}, machine('absent', 'Maven (mvn) is not on the PATH.'));
    expect(message)
      .to.include('Maven (mvn) is not on the PATH')
      .and.to.include('Docker')
      .and.to.include('Java 21')
      .and.to.include('KAFKA_BROKERS');
  });
});
