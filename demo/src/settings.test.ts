import { expect } from 'chai';
import { readDemoSettings } from './settings.ts';

describe('the settings of npm start', () => {
  it('use defaults for absent and empty variables', () => {
    expect(readDemoSettings({ PORT: '', LOG_LEVEL: ' ', FEED_TODAY: '2026-02-03' })).to.deep.equal({
      port: 8080,
      adminPort: 8081,
      projectorAdminPort: 8082,
      ingestAdminPort: 8083,
      consolePort: 8090,
      needsConsole: false,
      sitePort: 8092,
      site: 'http://localhost:8092',
      feedsUrl: 'http://localhost:8080/api',
      topic: 'marketplace.listing-events',
      logLevel: 'warn',
      today: '2026-02-03',
      ownEngines: true,
    });
  });

  it('follow the environment', () => {
    const settings = readDemoSettings({
      PORT: '9000',
      ADMIN_PORT: '9100',
      BASE_PATH: '/',
      LOG_LEVEL: 'info',
      KAFKA_BROKERS: 'kafka:9092',
    });
    expect(settings).to.include({
      feedsUrl: 'http://localhost:9000',
      adminPort: 9100,
      projectorAdminPort: 9101,
      logLevel: 'info',
      ownEngines: false,
    });
  });

  it('name the ports of the console and the website, which must not be ports of the services', () => {
    expect(readDemoSettings({ CONSOLE_PORT: '9090' })).to.include({ consolePort: 9090, needsConsole: true });
    for (const port of ['8080', '8081', '8082'])
      for (const name of ['CONSOLE_PORT', 'SITE_PORT'])
        expect(() => readDemoSettings({ [name]: port }), port).to.throw(`${name}=${port}`);
    expect(() => readDemoSettings({ CONSOLE_PORT: '9092', SITE_PORT: '9092' })).to.throw('both 9092');
  });

  it('list every bad variable once, including variables that only a service reads', () => {
    const env = {
      PORT: '0',
      ADMIN_PORT: '65535',
      RATE_LIMIT: 'many',
      START_OFFSET: 'middle',
      LOG_LEVEL: 'loud',
      ELASTICSEARCH_URL: 'localhost',
    };
    const message = (() => {
      try {
        return JSON.stringify(readDemoSettings(env));
      } catch (error) {
        return String(error);
      }
    })();
    for (const name of Object.keys(env))
      expect(message.match(new RegExp(`\\b${name}=`, 'g')), name).to.have.length(1);
  });

  it('refuse credentials without KAFKA_BROKERS', () => {
    expect(() => readDemoSettings({ KAFKA_TLS: 'true' })).to.throw(/require KAFKA_BROKERS/);
    expect(readDemoSettings({ KAFKA_TLS: 'true', KAFKA_BROKERS: 'kafka:9092' })).to.include({
      ownEngines: false,
    });
  });

  it('refuse one port for two purposes', () => {
    for (const PORT of ['8081', '8082']) expect(() => readDemoSettings({ PORT })).to.throw(/ADMIN_PORT/);
    expect(readDemoSettings({ PORT: '8083' }).port).to.equal(8083);
    expect(() => readDemoSettings({ PORT: '8083' }, 3)).to.throw(/ADMIN_PORT/);
  });
});
