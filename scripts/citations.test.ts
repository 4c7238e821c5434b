import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '..');
const THIS_FILE = 'scripts/citations.test.ts';
const BINARY = /\.(png|ico|jar|gz|zip)$/;

const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && path !== THIS_FILE && !BINARY.test(path) && existsSync(join(ROOT, path)));
const texts = new Map(tracked.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
const pages = tracked.filter((path) => path.endsWith('.md'));

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** The anchors of the headings on a Markdown page. */
function anchors(page: string): Set<string> {
  const text = (texts.get(page) ?? '').replace(/^```[\s\S]*?^```/gm, '');
  return new Set([...text.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading]) => anchorOf(heading ?? '')));
}

const exists = (path: string): boolean =>
  texts.has(path) ||
  path === THIS_FILE ||
  (existsSync(join(ROOT, path)) && (statSync(join(ROOT, path)).isDirectory() || BINARY.test(path)));

/**
 * The error in a reference to `path`, or undefined if its target exists. A reference may name a decision by
 * its number.
 */
function fault(path: string, anchor: string | undefined): string | undefined {
  if (/^docs\/decisions\/\d{4}$/.test(path))
    return tracked.some((page) => page.startsWith(`${path}-`)) ? undefined : 'no such decision';
  if (!exists(path)) return 'no such file';
  return anchor === undefined || anchors(path).has(anchor) ? undefined : 'no such section';
}

/**
 * A Markdown page's relative links outside code blocks, as paths from the root. Links between pages of the
 * documentation site begin with a placeholder, and the site's own test follows them.
 */
function links(page: string): { path: string; anchor: string | undefined }[] {
  const text = (texts.get(page) ?? '').replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    .filter(([, target]) => !/^([a-z]+:|%)/.test(target ?? ''))
    .map(([, target, anchor]) => ({
      path: target ? normalize(join(dirname(page), target)).replace(/\/$/, '') : page,
      anchor,
    }));
}

/** Citations of the project's own pages, in any text: `docs/….md#section`, or a decision by its number. */
const citations = (text: string): { path: string; anchor: string | undefined }[] =>
  [...text.matchAll(/(?<![\w./-])docs\/[\w./-]*\w(?:#([\w-]+))?/g)].map(([whole, anchor]) => ({
    path: whole.replace(/#.*/, ''),
    anchor,
  }));

const NAMED_SECTION =
  /(?<![\w./-])((?:[\w-]+\/)*(?:[\w-]+\.md|README|ARCHITECTURE|CONTRIBUTING)|[Rr]unbook), "([^"]+)"/g;

/**
 * Citations of a section by its heading, in any text: a page, a comma and the heading in quotation marks. A
 * list item that begins with a name in bold type is a section too.
 */
const namedSections = (text: string): { path: string; heading: string }[] =>
  // A comment or a message may break the line inside a citation.
  [...text.replace(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, ' ').matchAll(NAMED_SECTION)].map(
    ([, page = '', heading = '']) => ({
      path: /^runbook$/i.test(page) ? 'docs/operate/runbook.md' : page.replace(/(\.md)?$/, '.md'),
      heading,
    }),
  );

/**
 * Paths of files and folders in a page, written as code: `test/faults/kills`,
 * `services/query/src/cache/page.ts`.
 */
const codePaths = (page: string): string[] => {
  const text = (texts.get(page) ?? '').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/`((?:services|packages|demo|test|bench|infra|scripts)\/[\w./-]+)`/g)].map(
    ([, path]) => (path ?? '').replace(/\/$/, ''),
  );
};

/** File names without a folder that ARCHITECTURE.md mentions: `page-cache`, `fold.test.ts`. */
const fileNames = (page: string): string[] => {
  const text = (texts.get(page) ?? '').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/`([a-z][a-z0-9]*(?:-[a-z0-9]+)*\.test\.ts|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)`/g)].map(
    ([, name]) => name ?? '',
  );
};

const stem = (path: string): string => path.replace(/^.*\//, '').replace(/(\.test)?\.(ts|mjs)$/, '');
const EXTENSIONS = ['', '.ts', '.test.ts', '.mjs'];

describe('citations', () => {
  it('every link in a page leads to an existing file and section', () => {
    const broken = pages.flatMap((page) =>
      links(page)
        .map(({ path, anchor }) => ({ page, path, anchor, fault: fault(path, anchor) }))
        .filter(({ fault }) => fault),
    );
    expect(broken).to.deep.equal([]);
  });

  it('comments, messages and settings cite existing pages and sections', () => {
    const broken = [...texts].flatMap(([file, text]) =>
      citations(text)
        .map(({ path, anchor }) => ({ file, path, anchor, fault: fault(path, anchor) }))
        .filter(({ fault }) => fault),
    );
    expect(broken).to.deep.equal([]);
  });

  it('a section that is cited by its heading exists', () => {
    const cited = [...texts].flatMap(([file, text]) =>
      namedSections(text).map(({ path, heading }) => ({
        file,
        path,
        heading,
        fault: texts.get(path)?.includes(`\n- **${heading}.**`) ? undefined : fault(path, anchorOf(heading)),
      })),
    );
    expect(cited.map(({ file }) => file)).to.include('infra/dependency-rules.cjs');
    expect(cited.filter(({ fault }) => fault)).to.deep.equal([]);
  });

  it('pages name existing files and folders', () => {
    const broken = pages.flatMap((page) =>
      codePaths(page)
        .filter((path) => !EXTENSIONS.some((extension) => exists(path + extension)))
        .map((path) => `${page}: ${path}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('ARCHITECTURE.md mentions only existing files', () => {
    const stems = new Set(tracked.map(stem));
    expect(fileNames('ARCHITECTURE.md').filter((name) => !stems.has(stem(name)))).to.deep.equal([]);
  });

  it('the README of a workspace, and the path of a record, name existing files of the workspace', () => {
    const owners = pages.flatMap((page) => {
      const folder = /^((?:packages|services)\/[\w-]+|demo)\/README\.md$/.exec(page)?.[1];
      return folder ? [{ page, folder }] : [];
    });
    owners.push({ page: 'docs/guide/record.md', folder: 'packages/projection' });
    const broken = owners.flatMap(({ page, folder }) =>
      [...(texts.get(page) ?? '').matchAll(/`([a-z][\w-]*(?:\/[\w-]+)*\.ts)`/g)]
        .map(([, path]) => path ?? '')
        .filter((path) => !exists(path) && !exists(join(folder, 'src', path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(owners.length).to.be.above(10);
    expect(broken).to.deep.equal([]);
  });

  it('no file cites a document from outside the repository', () => {
    const foreign = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/decisions §|(?<!Open|Async)API document\b|docs\/choices\.md/g)].map(
        ([words]) => `${file}: ${words}`,
      ),
    );
    expect(foreign).to.deep.equal([]);
  });

  it('only tests that can skip themselves read files outside the repository', () => {
    const helper = 'test/support/rentals.ts';
    const readers = [...texts].filter(
      ([file, text]) => file !== helper && /\.\.\/shared\/|\/rentals\.ts'/.test(text),
    );
    expect(readers.length).to.be.above(3);
    const others = readers.filter(
      ([file, text]) => !(file.endsWith('.test.ts') && text.includes('this.skip()')),
    );
    expect(others.map(([file]) => file)).to.deep.equal([]);
  });
});
