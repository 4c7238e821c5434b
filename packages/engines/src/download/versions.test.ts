import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { EnginesError } from '../engine-control.ts';
import { ENGINES } from './distributions.ts';
import { chooseVersions, pinnedVersions, versionVariables } from './versions.ts';

const pom = readFileSync(ENGINES.pom, 'utf8');

describe('the versions of the engines', () => {
  it('are those of the pom, with one hash for each Elasticsearch, the default first', () => {
    const { kafka, elasticsearch } = pinnedVersions(pom);
    expect(kafka[0]).to.equal(/<kafka\.version>(.*?)</.exec(pom)?.[1]);
    expect(elasticsearch[0]).to.equal(/<elasticsearch\.version>(.*?)</.exec(pom)?.[1]);
    const hashes = [...pom.matchAll(/<elasticsearch\.sha512>([0-9a-f]{128})</g)].map(([, hash]) => hash);
    expect(new Set(hashes).size).to.equal(elasticsearch.length);
  });

  it('can be chosen by the environment, and default to the first', () => {
    const { kafka, elasticsearch } = pinnedVersions(pom);
    expect(chooseVersions(pom, {})).to.deep.equal({ kafka: kafka[0], elasticsearch: elasticsearch[0] });
    const oldest = { kafka: kafka.at(-1) ?? '', elasticsearch: elasticsearch.at(-1) ?? '' };
    expect(oldest).not.to.deep.equal(chooseVersions(pom, { VITRINE_KAFKA_VERSION: ' ' }));
    expect(chooseVersions(pom, versionVariables(oldest))).to.deep.equal(oldest);
    expect(versionVariables({ kafka: '1' })).to.deep.equal({ VITRINE_KAFKA_VERSION: '1' });
  });

  it('must have a pin', () => {
    expect(() => chooseVersions(pom, { VITRINE_ELASTICSEARCH_VERSION: '8.0.0' })).to.throw(
      EnginesError,
      /VITRINE_ELASTICSEARCH_VERSION must be one of 9\.\S+, 9\.\S+, not "8\.0\.0"/,
    );
    expect(() => pinnedVersions('<project/>')).to.throw(EnginesError, 'kafka.version');
  });
});
