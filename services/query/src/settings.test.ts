import { SettingsError } from '@vitrine/runtime/settings';
import { expect } from 'chai';
import { readQuerySettings } from './settings.ts';

const ELASTICSEARCH_URL = 'http://localhost:9200';

describe('query settings', () => {
  it('have the documented defaults', () => {
    expect(readQuerySettings({ ELASTICSEARCH_URL })).to.deep.equal({
      elasticsearch: { url: ELASTICSEARCH_URL },
      indexPrefix: 'marketplace-feed',
      logLevel: 'info',
      port: 8080,
      basePath: '/api',
      publicUrl: undefined,
      adminPort: 8081,
      rateLimit: 12_000,
      trustedProxies: 0,
      processes: 1,
      cacheBytes: 67_108_864,
      cacheFreshSeconds: 5,
      cacheStaleSeconds: 300,
      searchConcurrency: 16,
      exportConcurrency: 2,
      license: 'https://creativecommons.org/licenses/by/4.0/',
      maxConnections: 4_096,
      keepAliveSeconds: 65,
      mcpCallers: {
        hosts: ['localhost', '127.0.0.1', '[::1]'],
        origins: { exact: [], loopback: true },
      },
      today: undefined,
      availabilityHorizonDays: 90,
      imageOrigins: [],
      localRadiusKm: 50,
    });
  });

  it('allow the MCP callers of loopback and PUBLIC_URL by default, or exactly the given ones', () => {
    const callers = (env: object) => readQuerySettings({ ELASTICSEARCH_URL, ...env }).mcpCallers;
    const own = callers({ PUBLIC_URL: 'https://feeds.example.com:8443/x' });
    expect(own.hosts).to.include('feeds.example.com');
    expect(own.origins).to.deep.equal({ exact: ['https://feeds.example.com:8443'], loopback: true });
    expect(
      callers({
        MCP_ALLOWED_HOSTS: 'a.example, b.example:90',
        MCP_ALLOWED_ORIGINS: 'https://C.example:443/, http://c.example:81',
      }),
    ).to.deep.equal({
      hosts: ['a.example', 'b.example'],
      origins: { exact: ['https://c.example', 'http://c.example:81'], loopback: false },
    });
    expect(callers({ MCP_ALLOWED_ORIGINS: '*' }).origins).to.equal('*');
    for (const bad of [
      { MCP_ALLOWED_HOSTS: 'https://a.example' },
      { MCP_ALLOWED_HOSTS: '*' },
      { MCP_ALLOWED_HOSTS: 'https://u:hunter2@a.example' },
      { MCP_ALLOWED_ORIGINS: 'a.example' },
      { MCP_ALLOWED_ORIGINS: '*, https://a.example' },
      { MCP_ALLOWED_ORIGINS: 'https://a.example/path' },
      { MCP_ALLOWED_ORIGINS: 'https://*.example' },
    ])
      expect(() => callers(bad), JSON.stringify(bad))
        .to.throw(SettingsError, Object.keys(bad)[0])
        .with.property('message')
        .that.does.not.include('hunter2');
  });

  it('accept a root path, no rate limit, and a fixed date', () => {
    const settings = readQuerySettings({
      ELASTICSEARCH_URL,
      BASE_PATH: '/',
      RATE_LIMIT: 'off',
      FEED_TODAY: '2028-02-29',
    });
    expect(settings).to.include({ basePath: '', rateLimit: undefined, today: '2028-02-29' });
  });

  it('accept a public URL and remove its trailing slash', () =>
    expect(
      readQuerySettings({ ELASTICSEARCH_URL, PUBLIC_URL: 'https://Example.com/feeds/' }).publicUrl,
    ).to.equal('https://example.com/feeds'));

  it('list every bad variable', () => {
    const bad = {
      PORT: '65536',
      BASE_PATH: '/api/',
      PUBLIC_URL: 'https://user:secret@feeds.example.com',
      ADMIN_PORT: 'x',
      RATE_LIMIT: '0',
      FEED_TODAY: '2026-02-29',
      AVAILABILITY_HORIZON_DAYS: '1097',
      LOCAL_RADIUS_KM: '0',
      TRUSTED_PROXIES: '11',
      PROCESSES: '0',
      CACHE_BYTES: '64M',
      CACHE_FRESH_SECONDS: '0.5',
      CACHE_STALE_SECONDS: '86401',
      SEARCH_CONCURRENCY: '0',
      MAX_CONNECTIONS: '0',
      LOG_LEVEL: 'loud',
      INDEX_PREFIX: 'UPPER',
      LISTING_IMAGE_ORIGINS: 'http://a.example; script-src *',
    };
    expect(() => readQuerySettings(bad))
      .to.throw(SettingsError)
      .with.property('message')
      .that.satisfies((message: string) => !message.includes('secret'))
      .and.satisfies((message: string) =>
        ['ELASTICSEARCH_URL', ...Object.keys(bad)].every((name) => message.includes(name)),
      );
  });
});
