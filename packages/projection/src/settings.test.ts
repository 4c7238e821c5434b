import { readSettings, SettingsError } from '@vitrine/runtime/settings';
import { expect } from 'chai';
import { checkProjectorSettings, projectorSettings } from './settings.ts';

const REQUIRED = { ELASTICSEARCH_URL: 'http://a:9200', KAFKA_BROKERS: 'a:9092' };

describe("the projector's settings", () => {
  it('default to one shard, with one replica if there are two nodes', () =>
    expect(readSettings(projectorSettings, REQUIRED)).to.include({ INDEX_SHARDS: 1, INDEX_REPLICAS: '0-1' }));

  for (const [name, value] of [
    ['INDEX_SHARDS', '0'],
    ['INDEX_SHARDS', '1025'],
    ['INDEX_SHARDS', '1.5'],
    ['INDEX_REPLICAS', '-1'],
    ['INDEX_REPLICAS', '1-0'],
    ['INDEX_REPLICAS', '0-'],
    ['INDEX_REPLICAS', 'all'],
  ] as const)
    it(`refuses ${name}=${value}`, () => {
      expect(() => readSettings(projectorSettings, { ...REQUIRED, [name]: value })).to.throw(
        SettingsError,
        `${name}="${value}"`,
      );
    });

  it('refuse a bound of versions in another form, and name the valid forms', () => {
    const read = (MAX_VERSION: string) =>
      readSettings(projectorSettings, { ...REQUIRED, MAX_VERSION }, checkProjectorSettings).MAX_VERSION;
    expect(['now+1d', 'now+12h', 'now+1d:us', '500'].map(read)).to.deep.equal([
      'now+1d',
      'now+12h',
      'now+1d:us',
      '500',
    ]);
    expect(read('')).to.equal(undefined);
    expect(() => read('tomorrow')).to.throw(SettingsError, /MAX_VERSION.*"tomorrow".*now\+1d:us/);
  });

  for (const value of ['0', '2', '0-1', '1-3', '0-all'])
    it(`accepts INDEX_REPLICAS=${value}`, () =>
      expect(readSettings(projectorSettings, { ...REQUIRED, INDEX_REPLICAS: value })).to.include({
        INDEX_REPLICAS: value,
      }));
});
