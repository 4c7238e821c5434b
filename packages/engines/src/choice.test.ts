import { expect } from 'chai';
import { chooseSources, type Machine } from './choice.ts';
import { EnginesError } from './engine-control.ts';

const machine = (docker: boolean, missing?: string): Machine => ({
  dockerAnswers: async () => docker,
  missingForJava: async () => missing,
});
const unasked: Machine = {
  dockerAnswers: () => Promise.reject(new Error('asked for Docker')),
  missingForJava: () => Promise.reject(new Error('asked for Java')),
};

async function refusal(env: NodeJS.ProcessEnv, found: Machine): Promise<string> {
  try {
    await chooseSources(env, found);
  } catch (error) {
    if (error instanceof EnginesError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('where the engines come from', () => {
  const both = { KAFKA_BROKERS: 'a:9092', ELASTICSEARCH_URL: 'http://b:9200' };

  it('takes what the environment names and asks no further', async () => {
    expect(await chooseSources(both, unasked)).to.deep.equal({ kafka: 'environment', elasticsearch: 'environment' });
  });

  it('starts only what the environment does not name; blank is not named', async () => {
    expect(await chooseSources({ ...both, ELASTICSEARCH_URL: ' ' }, machine(false))).to.deep.equal({ kafka: 'environment', elasticsearch: 'java' });
  });

  it('prefers Docker to Java', async () => {
    expect(await chooseSources({}, machine(true))).to.deep.equal({ kafka: 'docker', elasticsearch: 'docker' });
    expect(await chooseSources({}, machine(false))).to.deep.equal({ kafka: 'java', elasticsearch: 'java' });
  });

  it('obeys VITRINE_ENGINES', async () => {
    expect(await chooseSources({ VITRINE_ENGINES: 'java' }, { ...unasked, missingForJava: async () => undefined })).to.include({ kafka: 'java' });
    expect(await refusal({ VITRINE_ENGINES: 'docker' }, machine(false))).to.include('no Docker engine answers');
    expect(await refusal({ VITRINE_ENGINES: 'podman' }, unasked)).to.include('"podman"');
  });

  it('says what to install when nothing will do', async () => {
    const message = await refusal({}, machine(false, 'Maven (mvn) is not on the PATH.'));
    expect(message).to.include('Maven (mvn) is not on the PATH').and.to.include('Docker').and.to.include('Java 21').and.to.include('KAFKA_BROKERS');
  });
});
