import { expect } from 'chai';
import { explorerPage, pathsFromBase, pathsFromRoot } from './explorer-page.ts';

const FILES = new Map(
  ['explorer.js', 'explorer.css'].map((name) => [
    name,
    { name: `hash-${name}`, contentType: 'text/plain', content: Buffer.from('') },
  ]),
);
/** The absolute URLs in a page, as a browser resolves them. */
const urlsOf = (html: string, page: string) =>
  [...html.matchAll(/(?:src|href|data-feeds|data-mcp)="([^"]*)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => !url.startsWith('data:'))
    .map((url) => new URL(url, page).href);

describe('explorer page', () => {
  for (const basePath of ['', '/api', '/public/v1'])
    it(`has the same addresses at the root and at the base path ${basePath || '/'}`, () => {
      const root = urlsOf(explorerPage(FILES, pathsFromRoot(basePath)), 'https://h/x/');
      expect(urlsOf(explorerPage(FILES, pathsFromBase(basePath)), `https://h/x${basePath}/`)).to.deep.equal(
        root,
      );
      expect(root).to.include.members([
        'https://h/x/mcp',
        `https://h/x${basePath}/`,
        `https://h/x${basePath}/web/hash-explorer.js`,
      ]);
    });

  it('has no inline script', () =>
    expect(explorerPage(FILES, pathsFromRoot('/api'))).not.to.match(/<script(?![^>]*src=)|\son\w+=|style=/));
});
