import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { checkElasticsearch, elasticsearchConnection } from '@vitrine/runtime/elasticsearch';
import { readSettings, SettingsError, sharedSettings } from '@vitrine/runtime/settings';
import { expect } from 'chai';
import { Type } from 'typebox';
import { checkKafka, kafkaConnection, kafkaSettings } from './connection.ts';
import { checkTopics, topicSettings } from './topic-names.ts';

describe('the settings of the connections', () => {
  const all = Type.Object({ ...sharedSettings, ...kafkaSettings, ...topicSettings });
  const check = (settings: object) =>
    [checkTopics, checkKafka, checkElasticsearch].flatMap((one) => one(settings));
  const engines = { ELASTICSEARCH_URL: 'https://search:9200', KAFKA_BROKERS: 'kafka:9093' };
  const read = (env: NodeJS.ProcessEnv) => readSettings(all, { ...engines, ...env }, check);
  const problems = (env: NodeJS.ProcessEnv): string => {
    try {
      return JSON.stringify(read(env));
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return error.message;
    }
  };
  const certificate = rootCertificates[0] as string;
  let folder: string;
  const file = (text: string): string => {
    const path = join(folder, `file-${text.length}`);
    writeFileSync(path, text);
    return path;
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const brokers of ['host', 'host:99999', 'a:1,,b:2'])
    it(`refuse KAFKA_BROKERS=${brokers}`, () =>
      expect(problems({ KAFKA_BROKERS: brokers })).to.match(/KAFKA_BROKERS/));
  it('accept several brokers', () =>
    expect(read({ KAFKA_BROKERS: 'a:1, [::1]:2' }).KAFKA_BROKERS).to.equal('a:1, [::1]:2'));
  it('refuse conflicting names of topics', () => {
    const env = { KAFKA_BROKERS: 'a:1', LISTING_EVENTS_TOPIC: 'events', DEAD_LETTER_TOPIC: 'events' };
    expect(() =>
      readSettings(Type.Object({ ...kafkaSettings, ...topicSettings }), env, checkTopics),
    ).to.throw(SettingsError, /DEAD_LETTER_TOPIC must differ from LISTING_EVENTS_TOPIC/);
    expect(() =>
      readSettings(
        Type.Object({ ...kafkaSettings, ...topicSettings }),
        { KAFKA_BROKERS: 'a:1', LISTING_EVENTS_TOPIC: 'x'.repeat(245) },
        checkTopics,
      ),
    ).to.throw(/too long/);
  });

  it('produce a connection without credentials by default', () => {
    expect(elasticsearchConnection(read({}))).to.deep.equal({ url: 'https://search:9200' });
    expect(kafkaConnection(read({}))).to.deep.equal({ brokers: 'kafka:9093' });
  });
  it('produce a connection with TLS and with credentials from variables', () => {
    const settings = read({
      ELASTICSEARCH_API_KEY: 'aWQ6a2V5==',
      ELASTICSEARCH_TLS_CA: certificate,
      KAFKA_TLS: 'true',
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: 'me',
      KAFKA_SASL_PASSWORD: ' with spaces ',
    });
    expect(elasticsearchConnection(settings)).to.deep.equal({
      url: 'https://search:9200',
      auth: { apiKey: 'aWQ6a2V5==' },
      ca: certificate,
    });
    const sasl = { mechanism: 'scram-sha-512', username: 'me', password: ' with spaces ' };
    expect(kafkaConnection(settings)).to.deep.equal({ brokers: 'kafka:9093', tls: {}, sasl });
  });
  it('read credentials from files, and remove only a trailing line break', () => {
    const settings = read({
      ELASTICSEARCH_USERNAME: 'me',
      ELASTICSEARCH_PASSWORD_FILE: file('secret \r\n'),
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA_FILE: file(`${certificate}\n${certificate}\n`),
    });
    expect(elasticsearchConnection(settings).auth).to.deep.equal({ username: 'me', password: 'secret ' });
    expect(kafkaConnection(settings).tls).to.deep.equal({ ca: `${certificate}\n${certificate}` });
  });
  it('read only secrets and certificates from files', () =>
    expect(read({ KAFKA_TLS_FILE: '/nowhere' })).to.include({ KAFKA_TLS: 'false' }));

  for (const [what, env, said] of [
    [
      'a secret in a variable and in a file',
      { ELASTICSEARCH_USERNAME: 'me', ELASTICSEARCH_PASSWORD: 'a', ELASTICSEARCH_PASSWORD_FILE: '/b' },
      /ELASTICSEARCH_PASSWORD and ELASTICSEARCH_PASSWORD_FILE/,
    ],
    [
      'a user without a password',
      { ELASTICSEARCH_USERNAME: 'me' },
      /ELASTICSEARCH_USERNAME needs ELASTICSEARCH_PASSWORD/,
    ],
    [
      'a password without a user',
      { ELASTICSEARCH_PASSWORD: 'x' },
      /ELASTICSEARCH_PASSWORD needs ELASTICSEARCH_USERNAME/,
    ],
    [
      'a password together with an API key',
      { ELASTICSEARCH_USERNAME: 'me', ELASTICSEARCH_PASSWORD: 'x', ELASTICSEARCH_API_KEY: 'aWQ6' },
      /must not both be set/,
    ],
    [
      'an Elasticsearch CA without https://',
      { ELASTICSEARCH_URL: 'http://search:9200', ELASTICSEARCH_TLS_CA: certificate },
      /ELASTICSEARCH_TLS_CA requires/,
    ],
    ['a Kafka CA without TLS', { KAFKA_TLS_CA: certificate }, /KAFKA_TLS_CA requires KAFKA_TLS=true/],
    [
      'SASL without a password',
      { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'me' },
      /KAFKA_SASL_MECHANISM needs KAFKA_SASL_PASSWORD/,
    ],
    [
      'a password without SASL',
      { KAFKA_SASL_PASSWORD: 'x' },
      /KAFKA_SASL_PASSWORD needs KAFKA_SASL_MECHANISM/,
    ],
    ['another mechanism', { KAFKA_SASL_MECHANISM: 'gssapi' }, /KAFKA_SASL_MECHANISM="gssapi"/],
    ['a value of KAFKA_TLS other than true and false', { KAFKA_TLS: 'yes' }, /KAFKA_TLS="yes"/],
    [
      'a missing file',
      { KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: '/nowhere/ca.pem' },
      /could not read the file that KAFKA_TLS_CA_FILE names \(ENOENT\)/,
    ],
  ] as const)
    it(`refuse ${what}`, () => expect(problems(env)).to.match(said));

  it('refuse an empty file and a file without a certificate, and name the variable', () => {
    expect(problems({ ELASTICSEARCH_USERNAME: 'me', ELASTICSEARCH_PASSWORD_FILE: file('\n') })).to.include(
      'ELASTICSEARCH_PASSWORD_FILE',
    );
    expect(problems({ ELASTICSEARCH_TLS_CA_FILE: file('no certificate') })).to.include(
      'ELASTICSEARCH_TLS_CA_FILE',
    );
  });
  it('list all problems at once, including conflicts', () => {
    const message = problems({
      LOG_LEVEL: 'loud',
      KAFKA_SASL_USERNAME: 'me',
      ELASTICSEARCH_USERNAME: 'me',
      DEAD_LETTER_TOPIC: 'marketplace.listing-events',
    });
    for (const name of ['LOG_LEVEL', 'KAFKA_SASL_USERNAME', 'ELASTICSEARCH_USERNAME', 'DEAD_LETTER_TOPIC'])
      expect(message).to.include(name);
  });
  it('never show a secret, even from the wrong variable', () => {
    const secret = 'hunter2';
    const misplaced: NodeJS.ProcessEnv[] = [
      { ELASTICSEARCH_URL: `https://me:${secret}@search:9200` },
      { ELASTICSEARCH_URL: `https://me:${secret}/@search:9200` },
      { ELASTICSEARCH_URL: `me:${secret}@search:9200` },
      { KAFKA_BROKERS: `SASL_SSL://me:${secret}@kafka:9093` },
      { ELASTICSEARCH_API_KEY: `id:${secret}` },
      { ELASTICSEARCH_TLS_CA: secret },
      { ELASTICSEARCH_USERNAME: 'me', ELASTICSEARCH_PASSWORD: `${secret}\n${secret}` },
      { ELASTICSEARCH_USERNAME: 'me', ELASTICSEARCH_PASSWORD_FILE: secret },
      { ELASTICSEARCH_API_KEY: 'aWQ6', ELASTICSEARCH_USERNAME: 'me', ELASTICSEARCH_PASSWORD: secret },
    ];
    for (const env of misplaced) expect(problems(env)).to.include('bad settings').and.to.not.include(secret);
  });
});
