import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { projectorSettings } from '@vitrine/projection/settings';
import { PROBLEM_TYPES } from '@vitrine/query';
import { expect } from 'chai';
import { ask } from '../contract/http-answer.ts';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { runToEnd } from '../support/run-to-end.ts';

const DOCS = join(import.meta.dirname, '../../docs');
/** The titles of problems in the explorer. */
const WORDS = join(import.meta.dirname, '../../packages/web/src/browser/components/words/problem-text.ts');
const ITEMS = 30;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };
const textOf = (html: string): string =>
  html.replace(/<[^>]*>/g, '').replace(/&([#\w]+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
const all = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map(([, found = '']) => textOf(found));

/** The parts of a page that both languages have in common. */
const skeletonOf = (html: string) => ({
  headings: [...html.matchAll(/<(h\d) id="([^"]*)"/g)].map(([, tag, id]) => `${tag} ${id}`),
  examples: all(html, /<pre[^>]*><code>(.*?)<\/code><\/pre>/gs),
  rows: all(html, /(<tr>)/g).length,
  items: all(html, /(<li>)/g).length,
});
/** The words of an article that are code. */
const codeOf = (html: string): string[] => all(html, /<code>(.*?)<\/code>/gs).sort();
const articleOf = (html: string): string => /<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '';

describe('the documentation', () => {
  let deployment: QueryDeployment;
  /** The pages that links from the start pages reach, by path below `/api`. */
  const pages = new Map<string, string>();
  const docs = () => `${deployment.origin}/api/docs`;
  const pathOf = (url: string) => url.slice(deployment.origin.length + '/api'.length);
  const inBoth = (): [path: string, english: string, portuguese: string][] =>
    [...pages]
      .filter(([path]) => !path.startsWith('/docs/pt-BR'))
      .map(([path, html]) => [path, html, pages.get(path.replace(/^\/docs/, '/docs/pt-BR')) ?? '']);

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY, RATE_LIMIT: '54321' } });
    const items = generateItems(ITEMS);
    await deployment.createIndex(items);
    const { elasticsearch, prefix } = deployment;
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(
      elasticsearch,
      prefix,
      1,
      items.map(({ id }) => [id, 'updated'] as const),
    );
    const open = [docs(), `${docs()}/pt-BR`];
    for (let url = open.pop(); url !== undefined; url = open.pop()) {
      const path = pathOf(url);
      if (pages.has(path)) continue;
      const { status, text } = await ask(url);
      // The test about links reports missing pages.
      if (status !== 200) continue;
      pages.set(path, text);
      open.push(...linksOf(url, text).map((link) => link.replace(/#.*/, '')));
    }
  });
  after(async () => {
    if (!deployment) return;
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  const linksOf = (url: string, html: string): string[] =>
    [...html.matchAll(/href="([^"]*)"/g)]
      .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), url).href)
      .filter((link) => link.startsWith(docs()));

  it('has a page for each problem type, in both languages, which its title names', () => {
    const words = readFileSync(WORDS, 'utf8');
    for (const [type, { title, status }] of Object.entries(PROBLEM_TYPES)) {
      const [english, portuguese] = [
        pages.get(`/docs/errors/${type}`),
        pages.get(`/docs/pt-BR/errors/${type}`),
      ];
      expect(english, type).to.include(`<h1>${title}</h1>`);
      expect(english).to.include('<strong>Cause.</strong>').and.to.include('<strong>Remedy.</strong>');
      const [, translated = ''] = /<h1>(.*?)<\/h1>/.exec(portuguese ?? '') ?? [];
      expect(words, 'the explorer has the same titles').to.match(
        new RegExp(`${type}'?: \\[\\s*'${translated}'`),
      );
      expect(portuguese, type).to.include('<strong>Causa.</strong>').and.to.include('<strong>O que fazer.');
      expect(pages.get('/docs/errors'), type).to.match(
        new RegExp(`<td>${status}</td>\\s*<td><a href="[^"]*/errors/${type}">`),
      );
    }
  });

  it('is where the type of a problem leads', async () => {
    for (const path of ['/api/ai-feed?page=0', '/api/ai-feed/car', '/nowhere']) {
      const url = `${deployment.origin}${path}`;
      const { type } = JSON.parse((await ask(url)).text) as { type: string };
      expect((await ask(new URL(type, url).href)).status, type).to.equal(200);
    }
  });

  it('has the same pages, headings, examples and tables in both languages', () => {
    expect(pages.size).to.be.above(70);
    expect([...pages].filter(([path]) => path.startsWith('/docs/pt-BR'))).to.have.lengthOf(pages.size / 2);
    for (const [path, english, portuguese] of inBoth()) {
      expect(articleOf(english), path).not.to.equal('');
      expect(skeletonOf(articleOf(portuguese)), path).to.deep.equal(skeletonOf(articleOf(english)));
      expect(portuguese, path).to.include('<html lang="pt-BR"');
    }
  });

  it('names the same parameters and values in the rules of both languages, section by section', () => {
    const sections = (path: string) => (pages.get(path) ?? '').split(/(?=<h[23] id=)/).map(codeOf);
    expect(sections('/docs/pt-BR/rules')).to.deep.equal(sections('/docs/rules'));
  });

  it('has no link to a missing page or section, and no placeholder without a value', () => {
    for (const [path, html] of pages) {
      expect(html.match(/%[A-Z]+(:\w+)?%|placeholder[A-Z]/g), path).to.equal(null);
      for (const link of linksOf(`${deployment.origin}/api${path}`, html)) {
        const [page = '', id] = pathOf(link).split('#');
        expect(pages.has(page), `${path} links to ${page}`).to.equal(true);
        if (id) expect(pages.get(page), `${path} links to ${page}#${id}`).to.include(` id="${id}"`);
      }
    }
  });

  it('states the limits of the running service, in the numbers of each language', () => {
    const limits = (path: string) => textOf(articleOf(pages.get(path) ?? ''));
    expect(limits('/docs/limits')).to.include('54,321').and.to.include('8,192 bytes');
    expect(limits('/docs/pt-BR/limits')).to.include('54.321').and.to.include('8.192 bytes');
    // The operator sets this limit in another process.
    const { default: days } = projectorSettings.properties.CHANGES_RETENTION_DAYS as { default?: unknown };
    expect(limits('/docs/limits')).to.include(`${String(days)} days by default`);
    expect(limits('/docs/pt-BR/limits')).to.include(`${String(days)} dias por padrão`);
    for (const path of ['/docs/limits', '/docs/pt-BR/limits'])
      expect(limits(path), `${path} has a limit without a number`).not.to.match(
        /any number of|qualquer número/,
      );
  });

  it('shows the programs of the repository, which other tests run, with the address of this service', () => {
    const shown = (path: string) => skeletonOf(pages.get(path) ?? '').examples.join('\n');
    for (const [path, program] of [
      ['/docs/guides/first-program', 'clients/crawl-by-cursor.mjs'],
      ['/docs/guides/first-program', 'clients/crawl-by-cursor.py'],
      ['/docs/guides/changes', 'start/follow.py'],
    ] as const)
      expect(shown(path)).to.include(
        readFileSync(join(DOCS, program), 'utf8')
          .trimEnd()
          .replace('http://localhost:8080', deployment.origin),
      );
    for (const [path, html] of pages) expect(html, path).not.to.include('localhost:8080');
  });

  it('has examples that run as they are, from the first request to the whole program', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-docs-'));
    try {
      for (const name of ['crawl-by-cursor.mjs', 'crawl-by-cursor.py'])
        await writeFile(join(folder, name), readFileSync(join(DOCS, 'clients', name)));
      const { PATH } = process.env;
      const env = { PATH: `${join(process.execPath, '..')}:${PATH}` };
      let ran = 0;
      for (const [path, html] of pages) {
        if (!/^\/docs(\/guides|\/errors$|$)/.test(path)) continue;
        for (const example of skeletonOf(html).examples) {
          if (!/^(curl|node) /.test(example)) continue;
          const { code, output } = await runToEnd('sh', ['-ec', answered(example)], { cwd: folder, env });
          expect(code, `${path}: ${example}\n${output}`).to.equal(0);
          const statuses = output.match(/(?<=^status )\d+$/gm) ?? [];
          const isFault = /date=tomorrow|pageSize=0/.test(example);
          expect(new Set(statuses), `${path}: ${example}\n${output}`).to.deep.equal(
            new Set(example.startsWith('node') ? [] : [isFault ? '400' : '200']),
          );
          ran += 1;
        }
      }
      expect(ran).to.be.above(12);
      const rentals = readFileSync(join(folder, 'rentals.ndjson'), 'utf8').trimEnd().split('\n');
      const { meta } = JSON.parse((await ask(`${deployment.origin}/api/ai-feed/rent`)).text) as {
        meta: { total: number };
      };
      expect(rentals).to.have.lengthOf(meta.total).and.above(3);
    } finally {
      await rm(folder, { recursive: true });
    }
  }).timeout(120_000);
});

/** The commands, changed so that each prints the status of its response after the body. */
const answered = (commands: string): string =>
  commands.replace(/^curl /gm, "curl --silent --show-error --write-out '\\nstatus %{http_code}\\n' ");
