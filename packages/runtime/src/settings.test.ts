import { expect } from 'chai';
import { Type } from 'typebox';
import { checkTopics, kafkaSettings } from './kafka.ts';
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
  it('takes several nodes of Elasticsearch', () => {
    const nodes = 'http://a:9200, https://b:9200';
    expect(readSettings(schema, { ELASTICSEARCH_URL: nodes })).to.include({ ELASTICSEARCH_URL: nodes });
  });
  it('names every bad variable in one message', () => {
    const read = () => readSettings(schema, { PORT: '99999', LOG_LEVEL: 'loud', INDEX_PREFIX: 'UPPER' });
    expect(read).to.throw(SettingsError, /ELASTICSEARCH_URL is not set/);
    expect(read).to.throw(SettingsError, /PORT="99999"/);
    expect(read).to.throw(SettingsError, /LOG_LEVEL="loud"/);
    expect(read).to.throw(SettingsError, /INDEX_PREFIX="UPPER"/);
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
    ['KAFKA_BROKERS', 'host'],
    ['KAFKA_BROKERS', 'host:99999'],
    ['KAFKA_BROKERS', 'a:1,,b:2'],
  ] as const)
    it(`refuses ${name}=${value}`, () => {
      const all = Type.Object({ ...schema.properties, ...kafkaSettings });
      const env = { ELASTICSEARCH_URL: 'http://localhost:9200', KAFKA_BROKERS: 'a:1, [::1]:2', [name]: value };
      expect(() => readSettings(all, env)).to.throw(SettingsError, name);
    });
  it('refuses what does not go together', () => {
    const env = { KAFKA_BROKERS: 'a:1', LISTING_EVENTS_TOPIC: 'events', DEAD_LETTER_TOPIC: 'events' };
    expect(() => readSettings(Type.Object(kafkaSettings), env, checkTopics)).to.throw(SettingsError, /DEAD_LETTER_TOPIC is LISTING_EVENTS_TOPIC/);
    expect(() => readSettings(Type.Object(kafkaSettings), { KAFKA_BROKERS: 'a:1', LISTING_EVENTS_TOPIC: 'x'.repeat(245) }, checkTopics)).to.throw(
      /too long/,
    );
  });
});
