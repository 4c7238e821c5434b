import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import {
  DOCUMENTED_PACKAGES,
  EXAMPLES_WITHOUT_ENGINES,
  exampleOf,
  ROOT,
  readmeOf,
  runExample,
} from './package-readme.ts';

interface Manifest {
  exports: Record<string, string>;
}

const manifests = DOCUMENTED_PACKAGES.map((name) => ({
  name,
  folder: join(ROOT, 'packages', name),
  exports: (JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest)
    .exports,
}));
const imports = manifests.flatMap(({ name, exports }) =>
  Object.keys(exports).map((path) => `@vitrine/${name}${path.slice(1)}`),
);
const isFound = (specifier: string) => import(specifier);

/** Compiles one program with the examples and every export, because each program takes seconds. */
function compile(): { program: ts.Program; exampleFile: (name: string) => string } {
  const exampleFile = (name: string) => join(ROOT, 'test', `example-of-${name}.ts`);
  const texts = new Map(DOCUMENTED_PACKAGES.map((name) => [exampleFile(name), exampleOf(name).code]));
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { compilerOptions } = config;
  const { options } = ts.parseJsonConfigFileContent(
    { compilerOptions: { ...compilerOptions, incremental: false, tsBuildInfoFile: null }, files: [] },
    ts.sys,
    ROOT,
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists.call(host, path);
  host.getSourceFile = (path, language) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile.call(host, path, language)
      : ts.createSourceFile(path, text, language);
  };
  const targets = manifests.flatMap(({ folder, exports }) =>
    Object.values(exports).map((target) => join(folder, target)),
  );
  const declarations = globSync('packages/*/src/**/*.d.ts', { cwd: ROOT }).map((path) => join(ROOT, path));
  const program = ts.createProgram([...texts.keys(), ...targets, ...declarations], options, host);
  return { program, exampleFile };
}

/** The names in the first column of the table below an export's heading. */
function documentedNames(readme: string, specifier: string): string[] {
  const [, section = ''] = readme.split(`### \`${specifier}\`\n`);
  const rows = (section.split(/^##/m)[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''),
  );
}

describe('a package that other projects can use', function () {
  this.timeout(120_000); // for the compiler
  let compiled: ReturnType<typeof compile>;
  before(() => {
    compiled = compile();
  });

  for (const name of EXAMPLES_WITHOUT_ENGINES)
    it(`${name} has an example that prints what the README states`, async () => {
      const example = exampleOf(name);
      expect(await runExample(example)).to.equal(example.output);
    });

  for (const { name, folder, exports } of manifests) {
    it(`${name} has an example without type errors`, () => {
      const source = compiled.program.getSourceFile(compiled.exampleFile(name));
      const problems = compiled.program
        .getSemanticDiagnostics(source)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
      expect(problems).to.deep.equal([]);
      expect(source?.text).to.include(`'@vitrine/${name}'`);
    });

    for (const [path, target] of Object.entries(exports)) {
      const specifier = `@vitrine/${name}${path.slice(1)}`;
      it(`the README lists exactly the exports of ${specifier}`, () => {
        const checker = compiled.program.getTypeChecker();
        const source = compiled.program.getSourceFile(join(folder, target));
        const symbol = source && checker.getSymbolAtLocation(source);
        const exported = symbol ? checker.getExportsOfModule(symbol).map((one) => one.name) : [];
        expect(exported).not.to.deep.equal([]);
        expect(documentedNames(readmeOf(name), specifier).toSorted()).to.deep.equal(exported.toSorted());
      });
    }

    it(`the README of ${name} names no export that does not exist`, () => {
      const headings = [...readmeOf(name).matchAll(/^### `(@vitrine\/[\w/-]+)`$/gm)].map(([, one]) => one);
      expect(headings).to.have.members(
        Object.keys(exports).map((path) => `@vitrine/${name}${path.slice(1)}`),
      );
    });
  }

  it('loads every export, and refuses deep imports', async () => {
    for (const specifier of imports) expect(Object.keys(await isFound(specifier)), specifier).not.to.be.empty;
    for (const { name, exports } of manifests) {
      const target = exports['.']?.replace(/^\./, '') ?? '';
      for (const deep of [target, target.replace('index.ts', 'limits.ts'), '/package.json']) {
        const refused = await isFound(`@vitrine/${name}${deep}`).catch((error: unknown) => error);
        expect(refused, deep).to.have.property('code', 'ERR_PACKAGE_PATH_NOT_EXPORTED');
      }
    }
  });

  it('is imported only through its exports, even by relative paths', () => {
    const files = globSync('{packages,services,demo,bench,test,scripts,infra}/**/*.{ts,tsx,mjs}', {
      cwd: ROOT,
      exclude: (path) => path.includes('node_modules'),
    });
    const allowed = new Set(
      manifests.flatMap(({ folder, exports }) =>
        Object.values(exports).map((target) => pathToFileURL(join(folder, target)).href),
      ),
    );
    const deep = files.flatMap((file) =>
      ts
        .preProcessFile(readFileSync(join(ROOT, file), 'utf8'))
        .importedFiles.map(({ fileName }) => fileName)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => resolve(ROOT, dirname(file), specifier))
        .filter((target) =>
          manifests.some(
            ({ folder }) => target.startsWith(`${folder}/`) && !resolve(ROOT, file).startsWith(`${folder}/`),
          ),
        )
        .filter((target) => !allowed.has(pathToFileURL(target).href))
        .map((target) => `${file} imports ${target}`),
    );
    expect(files.length).to.be.above(500);
    expect(deep).to.deep.equal([]);
  });
});
