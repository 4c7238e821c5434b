import { expect } from 'chai';
import { nameDistribution, partialName, partialOwner } from './distribution.ts';
import { EnginesError } from './engine-control.ts';

const pom = '<kafka.version>4.2.0</kafka.version><elasticsearch.version>9.5.0</elasticsearch.version>';

describe('the downloaded distribution', () => {
  it('is named after the versions and the content of the pom', () => {
    const { kafka, elasticsearch, folder } = nameDistribution(pom);
    expect({ kafka, elasticsearch }).to.deep.equal({ kafka: '4.2.0', elasticsearch: '9.5.0' });
    expect(folder).to.match(/^kafka-4\.2\.0-elasticsearch-9\.5\.0-[0-9a-f]{8}$/);
    expect(nameDistribution(`${pom}<!-- another jar -->`).folder).not.to.equal(folder);
  });

  it('refuses a pom without versions', () => {
    expect(() => nameDistribution('<project/>')).to.throw(EnginesError, 'kafka.version');
  });

  it('tells who builds a folder', () => {
    expect(partialOwner('kafka-4', partialName('kafka-4', 4711))).to.equal(4711);
    expect(partialOwner('kafka-4', `${partialName('kafka-4', 4711)}.log`)).to.equal(undefined);
    expect(partialOwner('kafka-4', partialName('kafka-5', 4711))).to.equal(undefined);
    expect(partialOwner('kafka-4', 'kafka-4')).to.equal(undefined);
  });
});
