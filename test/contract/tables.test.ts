import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { runToEnd } from '../support/run-to-end.ts';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const COPIED = ['packages', 'services', 'tsconfig.json', 'package.json'];

const SHARED = 'packages/feed-index/src/filters.ts';
const SLUGS = 'services/query/src/filters/catalog.ts';
const OWNERS = 'services/query/src/filters/index.ts';
const AD_TYPES = 'packages/feed-index/src/ad-types.ts';

/** The changes to each file. In each pair, the second string replaces the first one. */
type Changes = Record<string, [from: string, to: string][]>;

/** A filter by a word in the title, for the feeds, the tools, the UCP extension and the explorer. */
const FILTER: Changes = {
  [SHARED]: [
    [
      '  date: { kind:',
      "  word: { kind: 'text', alias: 'palavra', control: 'field', label: { en: 'Word', 'pt-BR': 'Palavra' } },\n  date: { kind:",
    ],
  ],
  [SLUGS]: [
    [
      'export const categories',
      `export const word: Filter<{ titleWord?: string }, 'word'> = {
  parameters: {
    word: {
      feeds: { description: 'Selects items with this word in the title.', example: 'praia' },
      tools: 'One word of the title: "praia". No default.',
      ucp: 'One word of the title. No default.',
    },
  },
  read: ({ values: { word: given } }) => (given === undefined ? {} : { criteria: { titleWord: given.toLowerCase() } }),
  members: ['titleWord'],
  links: ({ titleWord }) => ({ word: titleWord }),
  clauses: ({ titleWord }) => (titleWord === undefined ? [] : [{ term: { [field('title_words')]: titleWord } }]),
  passes: undefined,
  applied: ({ titleWord }) => (titleWord === undefined ? {} : { word: { value: titleWord, label: titleWord } }),
  appliedText: () => [],
  removals: { word: ['titleWord'] },
};

export const categories`,
    ],
  ],
  [OWNERS]: [
    ['import { categories, words }', 'import { categories, word, words }'],
    ['  date: dates,\n', '  word,\n  date: dates,\n'],
  ],
};
const AD_TYPE: Changes = {
  [AD_TYPES]: [
    [
      '  service: {',
      "  exchange: { aliases: ['swap'], plural: 'exchanges', tab: { en: 'Exchange', 'pt-BR': 'Troca' } },\n  service: {",
    ],
  ],
};

/** Sends a request through the code of the copy, and prints what each interface makes of it. */
const PROGRAM = `
import { readAdType } from '@vitrine/feed-index/ad-types';
import { LISTING_EVENT_SCHEMA } from '@vitrine/listing-events';
import { argumentSchemas, openApiDocument } from '@vitrine/query';
import { stateOf, requestPath } from './packages/web/src/browser/explorer/search-state.ts';
import { mcpArguments } from './packages/web/src/browser/explorer/request-forms.ts';
import { readFeedRequest } from './services/query/src/request/feed-request.ts';
import { encodeCursor } from './services/query/src/request/cursor.ts';
import { feedQuery } from './services/query/src/search/feed-query.ts';
import { pageLinks } from './services/query/src/response/page-links.ts';
import { EXTENSION_FILTERS } from './services/query/src/ucp/request-schemas.ts';
const read = (query) => readFeedRequest('ai-feed', readAdType('swap'), query);
const criteria = read('palavra=Praia');
const state = stateOf('?type=exchange&word=Praia');
const document = openApiDocument('/api');
console.log(JSON.stringify({
  criteria,
  contradiction: read('palavra=a&word=b').bad?.length,
  cursors: new Set([criteria, read('word=mar'), read('')].map((one) => encodeCursor(one, { key: 1, id: 'a' }))).size,
  query: feedQuery(criteria, { today: '2026-12-01', localRadiusKm: 50 }).request.query,
  links: pageLinks(criteria, { page: 1, pageCount: 2 }).split(',')[0],
  tool: argumentSchemas(50).search_listings.properties,
  ucp: Object.keys(EXTENSION_FILTERS),
  openApi: Object.keys(document.components.parameters),
  segments: document.components.parameters.adType.schema.enum,
  events: LISTING_EVENT_SCHEMA.$defs.listingFields.properties.ad_type.enum,
  request: requestPath(state),
  call: mcpArguments(state),
}));
`;

describe('the tables of filters and of ad types', () => {
  let copy: string;
  let projects = 0;

  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'vitrine-tables-'));
    for (const name of COPIED)
      cpSync(join(ROOT, name), join(copy, name), {
        recursive: true,
        filter: (path) => !/\/(node_modules|dist)$/.test(path) && !/\.test\.ts$/.test(path),
      });
    linkPackages(join(copy, 'node_modules'));
    writeFileSync(join(copy, 'program.ts'), PROGRAM);
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  const change = (changes: Changes) => {
    for (const [file, replacements] of Object.entries(changes)) {
      const path = join(copy, file);
      const before = readFileSync(path, 'utf8');
      const after = replacements.reduce((text, [from, to]) => text.replace(from, () => to), before);
      for (const [from] of replacements) expect(before, file).to.include(from);
      writeFileSync(path, after);
    }
    return Object.keys(changes);
  };
  /** Compiles files in the copy, with their imports. */
  const errorsIn = async (config: object, extended = './tsconfig.json'): Promise<string> => {
    const file = join(copy, `tsconfig.tables-${++projects}.json`);
    const compilerOptions = { incremental: false, tsBuildInfoFile: null };
    writeFileSync(file, JSON.stringify({ extends: extended, compilerOptions, exclude: [], ...config }));
    return (await runToEnd(process.execPath, [TSC, '--noEmit', '-p', file])).output;
  };
  /** The errors in one file of the copy. The file's imports are read, but not checked. */
  const errorsOf = (path: string): string => {
    const { config } = ts.readConfigFile(join(copy, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(
      { ...config, include: [], files: [path] },
      ts.sys,
      copy,
    );
    const program = ts.createProgram([join(copy, path)], options);
    return ts.formatDiagnostics(
      program.getSemanticDiagnostics(program.getSourceFile(join(copy, path))),
      ts.createCompilerHost(options),
    );
  };

  it('need three files for a filter and one for an ad type, and then reach every interface', async () => {
    const forgotten = change({ [SHARED]: FILTER[SHARED] ?? [] });
    expect(errorsOf(OWNERS), 'a filter without an owner').to.match(/index\.ts.*\n?.*'word'/);

    const { [SHARED]: _, ...others } = FILTER;
    expect([...forgotten, ...change(others)]).to.have.length.at.most(3);
    expect(change(AD_TYPE)).to.have.length(1);
    const errors = await Promise.all([
      errorsIn({ include: ['services', 'packages'], exclude: ['packages/web/src/browser'] }),
      errorsIn(
        { include: ['packages/web/src/browser', 'packages/kafka/src/format/codec-modules.d.ts'] },
        './packages/web/src/browser/tsconfig.json',
      ),
    ]);
    expect(errors).to.deep.equal(['', '']);

    const run = spawnSync(process.execPath, ['program.ts'], { cwd: copy, encoding: 'utf8' });
    expect(run.status, run.stderr).to.equal(0);
    const found = JSON.parse(run.stdout) as Record<string, unknown>;
    expect(found['criteria']).to.include({ adType: 'exchange', titleWord: 'praia' });
    expect(found).to.include({
      contradiction: 2,
      cursors: 3,
      request: 'ai-feed/exchange?word=Praia&page=1&pageSize=12',
    });
    expect(JSON.stringify(found['query'])).to.include('{"term":{"title_words":"praia"}}');
    expect(JSON.stringify(found['query'])).to.include('{"term":{"ad_type":"exchange"}}');
    expect(found['links']).to.equal('<exchange?page=1&pageSize=20&word=praia>; rel="first"');
    expect(found['tool']).to.have.property('word');
    expect(found['tool']).to.have.nested.property('ad_type.items.enum').that.includes('exchange');
    expect(found['ucp']).to.include('word');
    expect(found['openApi']).to.include.members(['word', 'palavra']);
    expect(found['segments']).to.include.members(['exchange', 'swap']);
    expect(found['events']).to.include('exchange');
    expect(found['call']).to.deep.equal({ ad_type: 'exchange', word: 'Praia' });
  });
});

/** Links every installed package, except that the copy's workspaces replace those in this tree. */
function linkPackages(folder: string): void {
  const installed = join(ROOT, 'node_modules');
  mkdirSync(join(folder, '@vitrine'), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== '@vitrine' && !name.startsWith('.')) symlinkSync(join(installed, name), join(folder, name));
  const parents = ['packages', 'services'];
  for (const parent of parents)
    for (const name of readdirSync(join(folder, '..', parent)))
      symlinkSync(join(folder, '..', parent, name), join(folder, '@vitrine', name));
}
