import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { INTERFACE_VERSION } from '../contract/operations.ts';
import { openApiDocument } from '../docs/openapi.ts';
import { discoveryDocuments } from './discovery-documents.ts';
import { ENTRY_POINTS, type EntryPoints } from './entry-points.ts';

const ROOT = 'https://feeds.example.com.br/x';
const BASE = `${ROOT}/v1`;

/** The text of each document by path. */
function textsFor(
  origin: string,
  entryPoints: EntryPoints = { ...ENTRY_POINTS, pages: ['/docs', '/docs/guides/agents'] },
): Record<string, string> {
  const documents = discoveryDocuments(openApiDocument('/v1', origin), '/v1', entryPoints);
  return Object.fromEntries(documents.map(({ path, text }) => [path, text(origin)]));
}
const texts = textsFor(ROOT);
const llms = texts['/llms.txt'] ?? '';
const card = JSON.parse(texts['/mcp/server-card'] ?? '');
const catalog = JSON.parse(texts['/.well-known/ai-catalog.json'] ?? '');
const linksOf = (text: string) => [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, url]) => url);

describe('discovery documents', () => {
  it('llms.txt has a title, a summary, text without headings, and sections of links only', () => {
    const [title, empty, summary] = llms.split('\n');
    expect([title, empty]).to.deep.equal(['# Public Marketplace Feeds API', '']);
    expect(summary)
      .to.match(/^> /)
      .and.to.satisfy((text: string) => text.endsWith(` ${INTERFACE_VERSION}.`));
    const [text = '', ...sections] = llms.split(/\n## /);
    expect(text.split('\n').filter((line) => /^#+ /.test(line))).to.have.lengthOf(1);
    expect(linksOf(text)).to.deep.equal([]);
    expect(sections).to.have.lengthOf(7);
    for (const section of sections)
      for (const line of section.split('\n').slice(1))
        if (line !== '') expect(line).to.match(/^- \[[^\]]+\]\(https:\/\/[^()\s]+\): \S/);
  });

  it('llms.txt links to every complete operation, and writes the others as code', () => {
    expect(linksOf(llms)).to.deep.equal([
      `${BASE}/public-feed`,
      `${BASE}/ai-feed`,
      `${BASE}/changes`,
      `${BASE}/listing-event.schema.json`,
      `${BASE}/asyncapi.json`,
      `${BASE}/docs`,
      `${BASE}/openapi.json`,
      `${ROOT}/mcp/server-card`,
      `${ROOT}/.well-known/ai-catalog.json`,
      `${ROOT}/.well-known/ucp`,
      `${ROOT}/sitemap.xml`,
    ]);
    for (const code of [
      `POST ${ROOT}/mcp`,
      `POST ${ROOT}/ucp/catalog/search`,
      `POST ${ROOT}/ucp/mcp`,
      `GET ${BASE}/public-feed/{adType}`,
      `GET ${BASE}/ai-feed/{adType}`,
      `GET ${BASE}/export`,
    ])
      expect(llms).to.include(`- \`${code}\`: `);
  });

  it('llms.txt lists the current parameters and no legacy names', () => {
    for (const name of ['city', 'category', 'date', 'date_to', 'pageSize', 'cursor', 'localOnly'])
      expect(llms).to.match(new RegExp(`^- \`${name}\`: [A-Z\`].*\\.$`, 'm'));
    expect(llms).not.to.match(/`(cidade|categoria|subcategoria|data)`/);
  });

  it('the sitemap lists the links of llms.txt, and the links that the service adds', () => {
    const more = { name: 'UCP profile', path: '/.well-known/ucp', notes: 'the UCP catalog' };
    const post = { path: '/ucp/catalog/search', notes: 'searches the catalog' };
    const extended = textsFor(ROOT, {
      links: [...ENTRY_POINTS.links, more],
      posts: [...ENTRY_POINTS.posts, post],
      pages: ['/docs', '/docs/guides/agents'],
    });
    const locations = [...(extended['/sitemap.xml'] ?? '').matchAll(/<loc>(.*?)<\/loc>/g)].map(
      ([, url]) => url,
    );
    const links = linksOf(extended['/llms.txt'] ?? '').filter((url) => url !== `${ROOT}/sitemap.xml`);
    expect(locations).to.have.members([
      ...links,
      `${ROOT}/llms.txt`,
      `${BASE}/`,
      `${BASE}/docs/guides/agents`,
    ]);
    expect(links).to.include(`${ROOT}/.well-known/ucp`);
    expect(extended['/llms.txt']).to.include(`- \`POST ${ROOT}/ucp/catalog/search\`: searches the catalog`);
  });

  it('robots.txt allows every path and names the sitemap', () =>
    expect(texts['/robots.txt']).to.equal(`User-agent: *\nAllow: /\n\nSitemap: ${ROOT}/sitemap.xml\n`));

  it('the server card names the MCP server, with protocol versions that the SDK supports', () => {
    expect(card).to.deep.include({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'br.com.example.feeds/vitrine',
      version: INTERFACE_VERSION,
    });
    expect(card.description).to.have.lengthOf.within(1, 100);
    const [remote] = card.remotes;
    expect([card.remotes.length, remote.type, remote.url]).to.deep.equal([
      1,
      'streamable-http',
      `${ROOT}/mcp`,
    ]);
    expect(remote.supportedProtocolVersions[0]).to.equal('2026-07-28');
    expect(SUPPORTED_PROTOCOL_VERSIONS).to.include.members(remote.supportedProtocolVersions.slice(1));
  });

  it('the AI catalog leads to the server card', () => {
    const type = 'application/mcp-server-card+json';
    expect(catalog).to.deep.equal({
      specVersion: '1.0',
      entries: [
        {
          identifier: 'urn:air:feeds.example.com.br:mcp:vitrine',
          displayName: 'Vitrine listings',
          type,
          mediaType: type,
          url: `${ROOT}/mcp/server-card`,
        },
      ],
    });
  });

  it('a Host with special characters cannot add a link or an element', () => {
    const hostile = textsFor(`http://a)](b&c'd;e`);
    expect(linksOf(hostile['/llms.txt'] ?? '')).to.have.lengthOf(linksOf(llms).length);
    expect(hostile['/sitemap.xml']).not.to.match(/[&']/);
    expect(JSON.parse(hostile['/mcp/server-card'] ?? '').name).to.equal('localhost/vitrine');
  });
});
