import { type FeedItem, type Language, replaceNames } from '@vitrine/web';
import { expect } from 'chai';
import { explorerPage, pathsFromBase, pathsFromRoot } from './explorer-page.ts';
import type { FirstView } from './first-view.ts';

const FILES = new Map(
  ['explorer.js', 'explorer.css'].map((name) => [
    name,
    { name: `hash-${name}`, contentType: 'text/plain', content: Buffer.from('') },
  ]),
);
const HOSTILE = `"'><img src=x onerror="alert(1)"><script>alert(2)</script>`;
const item: FeedItem = {
  id: 'apt-1',
  title: 'Chalé',
  description: 'Com lareira.',
  category: 'espacos-para-eventos',
  price: 320,
  currency: 'BRL',
  location: { city: 'São Paulo', state: 'SP', country: 'BR' },
  rating: 4.5,
  review_count: 1,
  images: ['javascript:alert(1)', 'https://img.example/1.jpg'],
  url: 'https://shop.example/apt-1',
};
const hostile: FeedItem = {
  ...item,
  id: HOSTILE,
  title: HOSTILE,
  description: HOSTILE,
  category: HOSTILE,
  location: { city: HOSTILE, country: 'BR' },
  provider: { name: HOSTILE },
  images: [`https://img.example/${HOSTILE}`],
  url: `https://shop.example/${HOSTILE}`,
};
const resultsOf = (...items: FeedItem[]) => ({ items, total: items.length, pageCount: 1 });

const page = (paths = pathsFromRoot('/api'), view: Partial<FirstView> = {}, language: Language = 'en') =>
  explorerPage(FILES, paths, { search: '', language, ...view }, 'https://shop.example/api/');
const title = (html: string) => /<title>(.*)<\/title>/.exec(html)?.[1];
const tag = (html: string, name: string) =>
  new RegExp(`<meta property="og:${name}" content="(.*)">`).exec(html)?.[1];
/** The absolute URLs in a page, as a browser resolves them. */
const urlsOf = (html: string, base: string) =>
  [...html.matchAll(/(?:src|href|data-feeds|data-mcp)="([^"]*)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => !url.startsWith('data:'))
    .map((url) => new URL(url, base).href);

describe('explorer page', () => {
  for (const basePath of ['', '/api', '/public/v1'])
    it(`has the same addresses at the root and at the base path ${basePath || '/'}`, () => {
      // A relative query leads back to the page itself.
      const own = (url: string) => !/\/\?[^/]*$/.test(url);
      const root = urlsOf(page(pathsFromRoot(basePath)), 'https://h/x/').filter(own);
      const base = urlsOf(page(pathsFromBase(basePath)), `https://h/x${basePath}/`).filter(own);
      expect(base).to.deep.equal(root);
      expect(root).to.include.members([
        'https://h/x/mcp',
        `https://h/x${basePath}/`,
        `https://h/x${basePath}/web/hash-explorer.js`,
      ]);
    });

  it('names the filters of a view in its title, and its address in Open Graph tags', () => {
    replaceNames('city', [{ value: 'sao-paulo', label: 'São Paulo' }]);
    const html = page(pathsFromRoot('/api'), {
      search: '?city=sao-paulo&type=rent&date=2026-12-05',
      results: resultsOf(item),
    });
    expect(title(html)).to.equal('São Paulo · For rent · Dec 5 · Vitrine');
    expect(tag(html, 'title')).to.equal(title(html));
    expect(tag(html, 'url')).to.equal(
      'https://shop.example/api/?city=sao-paulo&amp;type=rent&amp;date=2026-12-05',
    );
    expect(html).to.include(`<link rel="canonical" href="${tag(html, 'url')}">`);
    expect(tag(html, 'locale')).to.equal('en_US');
    expect(tag(html, 'image')).to.equal(undefined);
    expect(tag(html, 'description')).to.match(/^1 listing\. /);
    expect(title(page())).to.equal('Vitrine');
    expect(title(page(undefined, { search: '?compare=a,b' }))).to.equal('Comparison of 2 listings · Vitrine');
  });

  it('takes no name from a single listing, because different texts can have the slug of a city', () => {
    replaceNames('city', [{ value: 'sao-paulo', label: 'São Paulo' }]);
    const location = { city: 'São Paulo ⚠️ ВНИМАНИЕ', country: 'BR' } as const;
    const html = page(undefined, { search: '?city=sao-paulo', results: resultsOf({ ...item, location }) });
    expect(tag(html, 'title')).to.equal('São Paulo · Vitrine');
  });

  it('describes a listing in both languages, with its first picture that has a web address', () => {
    const view = { search: '?type=rent&listing=apt-1', listing: item };
    const html = page(undefined, view, 'pt-BR');
    expect(html).to.include('<html lang="pt-BR"');
    expect(tag(html, 'title')).to.equal('Chalé · Vitrine');
    expect(tag(html, 'description')?.replaceAll('\u00a0', ' ')).to.equal(
      'R$ 320 por diária · São Paulo, SP · Com lareira.',
    );
    expect(tag(html, 'image')).to.equal('https://img.example/1.jpg');
    expect(tag(html, 'locale')).to.equal('pt_BR');
    expect(html).to.include('Ver no marketplace').and.to.include('Espacos para eventos');
  });

  it('says that a listing no longer exists, and tells search engines not to index it', () => {
    const html = page(undefined, { search: '?listing=gone', listing: null });
    expect(title(html)).to.equal('This listing no longer exists · Vitrine');
    expect(html).to.include('<meta name="robots" content="noindex">');
    expect(page()).not.to.include('noindex');
  });

  it('lists the results without a script, each with a link to its detail, and leads to the next page', () => {
    const html = page(undefined, {
      search: '?city=sao-paulo&page=2',
      results: { items: [item], total: 1_234, pageCount: 3 },
    });
    expect(html).to.include('1,234 listings');
    expect(html).to.include('href="?city=sao-paulo&amp;page=2&amp;listing=apt-1">Chalé</a>');
    expect(html).to.include('href="?city=sao-paulo&amp;page=3">Next page');
    expect(page(undefined, { results: resultsOf(item) })).not.to.include('Next page');
  });

  it('has no inline script, and shows hostile texts of listings and addresses as text', () => {
    const search = `?city=${encodeURIComponent(HOSTILE)}&listing=${encodeURIComponent(HOSTILE)}`;
    for (const view of [{}, { results: resultsOf(hostile) }, { listing: hostile }]) {
      const html = page(undefined, { search, ...view });
      expect(html).not.to.match(/<script(?![^>]*src=)|style=|<img src=x/);
      const tags = html.match(/<[a-z][^>]*>/gi) ?? [];
      expect(tags.filter((text) => /\son\w+\s*=/i.test(text.replace(/"[^"]*"/g, '""')))).to.deep.equal([]);
      expect([...html.matchAll(/href="(\w+):/g)].map(([, scheme]) => scheme)).to.satisfy(
        (schemes: string[]) => schemes.every((scheme) => ['https', 'data'].includes(scheme)),
      );
    }
  });

  it('bounds long texts and addresses', () => {
    const long = {
      ...item,
      title: 'x'.repeat(1e6),
      description: 'y'.repeat(1e6),
      images: [`https://h/${'z'.repeat(1e6)}`],
    };
    expect(page(undefined, { listing: long }).length).to.be.below(20_000);
    expect(page(undefined, { results: resultsOf(long) }).length).to.be.below(10_000);
    const city = `São Paulo ${'&'.repeat(3_000)}`;
    replaceNames('city', [{ value: 'sao-paulo', label: city }]);
    const found = resultsOf({ ...item, location: { city, country: 'BR' } });
    const html = page(undefined, { search: '?city=sao-paulo', results: found });
    expect(title(html)?.length).to.be.within(1_000, 2_000);
    replaceNames('city', []);
  });
});
