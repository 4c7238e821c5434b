import { expect } from 'chai';
import { Type } from 'typebox';
import { port, readSettings, SettingsError, sharedSettings } from './settings.ts';

const schema = Type.Object({ ...sharedSettings, PORT: port(8080) });

describe('readSettings', () => {
  it('fills in defaults, and reads numbers', () =>
    expect(readSettings(schema, { ELASTICSEARCH_URL: 'http://localhost:9200', PORT: '0' })).to.deep.equal({
      ELASTICSEARCH_URL: 'http://localhost:9200',
      INDEX_PREFIX: 'marketplace-feed',
      LOG_LEVEL: 'info',
      PORT: 0,
    }));
  it('an empty value counts as absent, other variables are none of ours', () =>
    expect(readSettings(schema, { ELASTICSEARCH_URL: 'http://localhost:9200', PORT: ' ', HOME: '/root' }))
      .to.include({ PORT: 8080 })
      .and.not.have.property('HOME'));
  it('names every bad variable in one message', () => {
    const read = () => readSettings(schema, { PORT: '99999', LOG_LEVEL: 'loud', INDEX_PREFIX: 'UPPER' });
    expect(read).to.throw(SettingsError, /ELASTICSEARCH_URL is not set/);
    expect(read).to.throw(SettingsError, /PORT="99999"/);
    expect(read).to.throw(SettingsError, /LOG_LEVEL="loud"/);
    expect(read).to.throw(SettingsError, /INDEX_PREFIX="UPPER"/);
  });
});
