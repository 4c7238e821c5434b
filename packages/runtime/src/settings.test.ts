import { expect } from 'chai';
import { Type } from 'typebox';
import { port, readSettings, SettingsError, sharedSettings } from './settings.ts';

const schema = Type.Object({ ...sharedSettings, PORT: port(8080) });

describe('readSettings', () => {
  it('fills in defaults and reads numbers', () =>
    expect(readSettings(schema, { ELASTICSEARCH_URL: 'http://localhost:9200', PORT: '0' })).to.deep.equal({
      ELASTICSEARCH_URL: 'http://localhost:9200',
      INDEX_PREFIX: 'marketplace-feed',
      LOG_LEVEL: 'info',
      PORT: 0,
    }));
  it('treats an empty value as absent, and ignores other variables', () =>
    expect(readSettings(schema, { ELASTICSEARCH_URL: 'http://localhost:9200', PORT: ' ', HOME: '/root' }))
      .to.include({ PORT: 8080 })
      .and.not.have.property('HOME'));
  it('accepts several nodes of Elasticsearch', () => {
    const nodes = 'http://a:9200, https://b:9200';
    expect(readSettings(schema, { ELASTICSEARCH_URL: nodes })).to.include({ ELASTICSEARCH_URL: nodes });
  });
  it('lists every bad variable in one message', () => {
    const read = () => readSettings(schema, { PORT: '99999', LOG_LEVEL: 'loud', INDEX_PREFIX: 'UPPER' });
    expect(read).to.throw(SettingsError, /ELASTICSEARCH_URL is not set/);
    expect(read).to.throw(SettingsError, /PORT="99999"/);
    expect(read).to.throw(SettingsError, /LOG_LEVEL="loud"/);
    expect(read).to.throw(SettingsError, /INDEX_PREFIX="UPPER"/);
  });
  it('repeats no user name, because a malformed one contains a password', () => {
    const env = { ELASTICSEARCH_URL: 'http://localhost:9200', ELASTICSEARCH_USERNAME: 'elastic:hunter2' };
    expect(() => readSettings(schema, env))
      .to.throw(SettingsError, /ELASTICSEARCH_USERNAME must match/)
      .with.property('message')
      .that.does.not.include('hunter2');
  });
  for (const [name, value] of [
    ['ELASTICSEARCH_URL', 'http://'],
    ['ELASTICSEARCH_URL', 'http://host:99999'],
    ['ELASTICSEARCH_URL', 'ftp://host'],
    ['ELASTICSEARCH_URL', 'http://a:9200,b:9200'],
    ['ELASTICSEARCH_URL', 'http://a:9200,'],
    ['PORT', '0x10'],
    ['PORT', '1e3'],
    ['PORT', '-1'],
  ] as const)
    it(`refuses ${name}=${value}`, () => {
      const env = { ELASTICSEARCH_URL: 'http://localhost:9200', [name]: value };
      expect(() => readSettings(schema, env)).to.throw(SettingsError, name);
    });
});
