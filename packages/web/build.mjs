// This file runs with any Node. It bundles the pages for browsers into packages/web/dist (decision 0062).
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const dist = join(folder, 'dist');
const manifest = join(dist, 'manifest.json');

/** The scripts and styles of each page. */
const ENTRIES = {
  explorer: 'src/browser/explorer/main.tsx',
  console: 'src/browser/console/main.tsx',
  docs: 'src/browser/docs/main.tsx',
};
/** The last folder contains the tables that the explorer shares with the service. */
const SOURCES = ['src/browser', 'src/content', 'src/pages', 'src/site', '../feed-index/src'];
/** The stored form of the document that the service serves (decision 0093). */
const OPENAPI = '../../docs/reference/interfaces/openapi.json';
/** The files outside this package from which pages are built. */
const SHARED = [
  'docs/clients/crawl-by-cursor.mjs',
  'docs/clients/crawl-by-cursor.py',
  'docs/reference/interfaces/openapi.pt-BR.json',
  'docs/reference/rules.md',
  'docs/reference/rules.pt-BR.md',
  'docs/start/follow.py',
].map((path) => `../../${path}`);
/** The contract of the topics. The service serves it as JSON. */
const ASYNCAPI = '../../asyncapi.yaml';

/**
 * Bundles the pages if their sources have changed since the last build. Two builds at the same time are
 * harmless, because each file has a name that depends on its content, and the manifest is renamed into place.
 * @param lock a hash of the lock file, because the bundles contain packages
 */
export async function buildPages(lock) {
  const sources = SOURCES.flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true })
      .filter((name) => /\.(tsx?|css|md|json|txt)$/.test(name) && !/\.test\.ts$/.test(name))
      .map((name) => join(part, name)),
  )
    .concat(OPENAPI, ASYNCAPI, SHARED)
    .sort();
  const hash = createHash('sha256')
    .update(lock)
    .update(readFileSync(fileURLToPath(import.meta.url)));
  for (const source of sources) hash.update(source).update(readFileSync(join(folder, source)));
  const digest = hash.digest('hex');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).sources === digest) return;

  const [{ build }, { parse }] = await Promise.all([import('esbuild'), import('yaml')]);
  const { outputFiles, metafile } = await build({
    absWorkingDir: folder,
    entryPoints: Object.entries(ENTRIES).map(([out, entry]) => ({ out, in: entry })),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: dist,
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const { buildIndexes, buildSite } = await siteBuilder(build);
  const content = join(folder, 'src/content');
  const document = JSON.parse(readFileSync(join(folder, OPENAPI), 'utf8'));
  const files = [
    ...outputFiles.map(({ path, contents }) => [path.slice(dist.length + 1), contents]),
    ['map.json', mapData()],
    ...Object.entries(buildIndexes(content, document)),
  ];
  mkdirSync(dist, { recursive: true });
  const names = {};
  for (const [name, contents] of files) {
    const fingerprint = createHash('sha256').update(contents).digest('hex').slice(0, 12);
    names[name] = name.replace(/\.(\w+)$/, `-${fingerprint}.$1`);
    writeFileSync(join(dist, names[name]), contents);
  }
  const style = outputFiles.find(({ path }) => path.endsWith('docs.css')).text;
  const packages = bundledPackages(metafile);
  const built = { sources: digest, files: names, packages: packages.map(([name]) => name) };
  replaceFile('site.json', JSON.stringify(buildSite({ content, document, style, files: names })));
  replaceFile('asyncapi.json', JSON.stringify(parse(readFileSync(join(folder, ASYNCAPI), 'utf8'))));
  replaceFile('licences.txt', [...packages.map(licenceOf), mapSources()].join('\n'));
  replaceFile('manifest.json', JSON.stringify(built, null, 2));
  for (const old of readdirSync(dist))
    if (/-[0-9a-f]{12}\.\w+$/.test(old) && !Object.values(names).includes(old))
      rmSync(join(dist, old), { force: true });
}

/** Writes a file with a fixed name. Another process may read the file at the same time. */
function replaceFile(name, text) {
  const unfinished = join(dist, `${name}.${process.pid}`);
  writeFileSync(unfinished, text);
  renameSync(unfinished, join(dist, name));
}

const mapSources = () => readFileSync(join(folder, 'src/browser/explorer/map/sources.txt'), 'utf8');

/** The outlines of the states and the places of the cities, which only the explorer's map loads (decision 0127). */
function mapData() {
  const read = (part) => readFileSync(join(folder, `src/browser/explorer/map/brazil-${part}.json`), 'utf8');
  return `{"states":${read('states')},"cities":${read('cities')}}`;
}

/** Returns the names and folders of the packages whose code is in the bundles. */
const bundledPackages = ({ inputs }) => [
  ...new Map(
    Object.keys(inputs).flatMap((path) => {
      const [inside, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      return inside ? [[name, join(folder, inside)]] : [];
    }),
  ),
];

/** Returns a package's license text, which must accompany each copy of the package's code. */
const licenceOf = ([name, path]) => {
  const file = readdirSync(path).find((entry) => /^LICENSE(\.\w+)?$/.test(entry));
  return `${name}\n\n${readFileSync(join(path, file), 'utf8')}`;
};

/**
 * Returns the functions that write the documentation site. They are bundled, because any Node may run this
 * file.
 */
async function siteBuilder(build) {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['src/site/site.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
    logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPages('');
