import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CRAWL_WITH_CURL, CRAWL_WITH_NODE, clientsSection } from './docs-clients.ts';
import { escapeHtml } from './docs-html.ts';

const file = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../../docs/clients', name), 'utf8');

describe('API reference: clients', () => {
  it('contains the programs in docs/clients, which a test runs', () => {
    expect(CRAWL_WITH_NODE).to.equal(file('crawl-by-cursor.mjs'));
    expect(CRAWL_WITH_CURL).to.equal(file('crawl-by-cursor.sh'));
    for (const program of [CRAWL_WITH_NODE, CRAWL_WITH_CURL])
      expect(clientsSection('/api')).to.include(escapeHtml(program));
  });

  it("uses the service's base URL in every example", () => {
    expect(clientsSection('/api')).to.include('http://localhost:8080/api/public-feed?city=');
    const section = clientsSection('/v1', 'https://feeds.example.com/x');
    expect(section).not.to.include('localhost');
    expect(section.split('https://feeds.example.com/x/v1')).to.have.length.above(9);
  });
});
